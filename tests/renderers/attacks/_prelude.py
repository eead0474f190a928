import ctypes as _ctypes


def report(label, found):
    print(f"BREACH: {label}: {str(found)[:60]}" if found else f"held: {label}")


def attempt(label, act):
    try:
        found = act()
    except BaseException as error:
        print(f"held: {label}: {type(error).__name__}")
    else:
        report(label, found if found is not None else False)


def syscall(name, number, *arguments):
    result = _ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    report(name, f"returned {result}" if result >= 0 else "")
    return result if result >= 0 else None
