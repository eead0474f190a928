# Makes files without end.
count = 0
try:
    while count < 200000:
        open(f"f{count}", "w").close()
        count += 1
except OSError as error:
    print("stopped:", error)
