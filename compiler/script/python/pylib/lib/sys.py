"""What a script can know of where it runs."""

from _sys import argv, out as _out, err as _err

maxsize = 2 ** 63 - 1
byteorder = "little"
platform = "copaflash"
copyright = "Python syntax, run by copaflash"
executable = ""
path = []
modules = {}
flags = None
maxunicode = 0x10FFFF


class _Named(tuple):
    def __new__(cls, **kw):
        self = tuple.__new__(cls, kw.values())
        for k, v in kw.items():
            object.__setattr__(self, k, v)
        self._names = tuple(kw)
        return self

    def __repr__(self):
        return "sys." + type(self).__name__.strip("_") + "(" + ", ".join([f"{n}={v!r}" for n, v in zip(self._names, self)]) + ")"


class version_info(_Named): pass
class float_info(_Named): pass
class int_info(_Named): pass


version_info = version_info(major=3, minor=11, micro=0, releaselevel="final", serial=0)
version = "3.11.0 (copaflash)"
hexversion = 0x030B00F0
float_info = float_info(max=1.7976931348623157e+308, max_exp=1024, max_10_exp=308, min=2.2250738585072014e-308, min_exp=-1021,
                        min_10_exp=-307, dig=15, mant_dig=53, epsilon=2.220446049250313e-16, radix=2, rounds=1)
int_info = int_info(bits_per_digit=30, sizeof_digit=4, default_max_str_digits=4300, str_digits_check_threshold=640)


class _Stream:
    encoding = "utf-8"
    def __init__(self, name, write): self.name, self.write = name, write
    def writelines(self, lines):
        for line in lines:
            self.write(line)
    def flush(self): pass
    def isatty(self): return False
    def writable(self): return True
    def readable(self): return False


stdout = __stdout__ = _Stream("<stdout>", _out)
stderr = __stderr__ = _Stream("<stderr>", _err)


def exit(status=None, /):
    """End the script."""
    raise SystemExit(status) if status is not None else SystemExit


def getrecursionlimit(): return 1000
def setrecursionlimit(n, /):
    if n > 1000:
        raise ValueError("scripts have a recursion limit of 1000, which cannot be raised")
def set_int_max_str_digits(n): pass
def get_int_max_str_digits(): return 4300
def intern(s, /): return s
def exc_info(): return (None, None, None)
def getdefaultencoding(): return "utf-8"
