"""Names of files as objects."""

import _files
import os.path as _path


class PurePath:
    """The name of a file."""
    __slots__ = ("_s",)

    def __init__(self, *parts):
        s = _path.join(*parts) if parts else "."
        pieces = [p for p in s.split("/") if p not in ("", ".")]
        object.__setattr__(self, "_s", ("/" if s.startswith("/") else "") + "/".join(pieces) or ".")

    def __fspath__(self): return self._s
    def __str__(self): return self._s
    def as_posix(self): return self._s
    def __repr__(self): return f"{type(self).__name__}({self._s!r})"
    def __truediv__(self, other): return type(self)(self._s, other)
    def __rtruediv__(self, other): return type(self)(other, self._s)
    def joinpath(self, *others): return type(self)(self._s, *others)
    def __eq__(self, other): return self._s == other._s if isinstance(other, PurePath) else NotImplemented
    def __lt__(self, other): return self._s < other._s if isinstance(other, PurePath) else NotImplemented
    def __hash__(self): return hash(self._s)

    @property
    def name(self): return "" if self._s in (".", "/") else _path.basename(self._s)
    @property
    def parent(self): return type(self)(_path.dirname(self._s) or ".")
    @property
    def parents(self):
        found, p = [], self
        while p.parent != p:
            p = p.parent
            found.append(p)
        return tuple(found)
    @property
    def suffix(self): return _path.splitext(self.name)[1]
    @property
    def suffixes(self): return ["." + s for s in self.name.lstrip(".").split(".")[1:]]
    @property
    def stem(self): return _path.splitext(self.name)[0]
    @property
    def parts(self): return (("/",) if self._s.startswith("/") else ()) + tuple([p for p in self._s.split("/") if p not in ("", ".")])
    def with_suffix(self, suffix): return self.parent / (self.stem + suffix)
    def with_name(self, name): return self.parent / name
    def with_stem(self, stem): return self.parent / (stem + self.suffix)
    def is_absolute(self): return self._s.startswith("/")


class Path(PurePath):
    """A file that may be there."""
    __slots__ = ()

    @classmethod
    def cwd(cls): return cls(".")
    def resolve(self, strict=False): return type(self)(_path.normpath(self._s))
    absolute = resolve
    def exists(self): return _path.exists(self._s)
    def is_file(self): return _path.isfile(self._s)
    def is_dir(self): return _path.isdir(self._s)
    def open(self, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
        return _files.open(self._s, mode, buffering, encoding, errors, newline)
    def read_text(self, encoding=None, errors=None):
        with self.open("r", encoding=encoding) as f:
            return f.read()
    def read_bytes(self):
        with self.open("rb") as f:
            return f.read()
    def write_text(self, data, encoding=None, errors=None, newline=None):
        with self.open("w", encoding=encoding, newline=newline) as f:
            return f.write(data)
    def write_bytes(self, data):
        with self.open("wb") as f:
            return f.write(data)
    def iterdir(self): return iter([self / n for n in _files.list(self._s)])
    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if not exist_ok and self.exists():
            raise FileExistsError(f"[Errno 17] File exists: {self._s!r}")
        _files.makedirs(self._s)


PosixPath, PurePosixPath = Path, PurePath
