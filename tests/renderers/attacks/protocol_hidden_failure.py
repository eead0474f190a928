# Raises what no handler expects.
class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("no message")

    __repr__ = __str__

raise Odd
