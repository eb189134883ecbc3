"""Parts of the names of files."""

import _files

sep, extsep, pardir, curdir, altsep, pathsep, devnull = "/", ".", "..", ".", None, ":", "/dev/null"


def _text(p): return p if isinstance(p, (str, bytes)) else p.__fspath__()


def join(a, /, *rest):
    out = _text(a)
    for p in rest:
        p = _text(p)
        if p.startswith("/"):
            out = p
        elif not out or out.endswith("/"):
            out += p
        else:
            out += "/" + p
    return out


def normcase(s): return _text(s)
def splitdrive(p): return _text(p)[:0], _text(p)


def split(p):
    p = _text(p)
    i = p.rfind("/") + 1
    head, tail = p[:i], p[i:]
    if head and head.strip("/"):
        head = head.rstrip("/")
    return head, tail


def basename(p): return split(p)[1]
def dirname(p): return split(p)[0]


def splitext(p):
    p = _text(p)
    start = p.rfind("/") + 1
    name = p[start:]
    i = name.rfind(".")
    if i <= 0 or not name[:i].strip("."):
        return p, ""
    return p[:start + i], name[i:]


def normpath(p):
    p = _text(p)
    out = []
    for part in p.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and out and out[-1] != "..":
            out.pop()
        elif part != ".." or not p.startswith("/"):
            out.append(part)
    return ("/" if p.startswith("/") else "") + "/".join(out) or "."


def abspath(p): return normpath(p)
realpath = abspath
def isabs(p): return _text(p).startswith("/")
def exists(p): return _files.kind(p) != ""
def isfile(p): return _files.kind(p) == "file"
def isdir(p): return _files.kind(p) == "folder"
def islink(p): return False
def getsize(p): return _files.size(p)
def expanduser(p): return _text(p)
def commonprefix(names):
    if not names:
        return ""
    a, b = min(names), max(names)
    for i, c in enumerate(a):
        if c != b[i]:
            return a[:i]
    return a
