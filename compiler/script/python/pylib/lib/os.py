"""Names of files, and the script's folder."""

import _files
import os.path as path

name, sep, linesep, curdir, pardir, extsep, altsep, pathsep, devnull = "posix", "/", "\n", ".", "..", ".", None, ":", "/dev/null"
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
environ = {}


def getenv(key, default=None): return default
def listdir(path="."): return _files.list(path)
def getcwd(): return "."
def fspath(p): return p if isinstance(p, (str, bytes)) else p.__fspath__()


def mkdir(path, mode=0o777):
    if _files.kind(path):
        raise FileExistsError(f"[Errno 17] File exists: {fspath(path)!r}")
    _files.makedirs(path)


def makedirs(name, mode=0o777, exist_ok=False):
    if not exist_ok and _files.kind(name):
        raise FileExistsError(f"[Errno 17] File exists: {fspath(name)!r}")
    _files.makedirs(name)
