"""Texts that are read and written as files."""

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class StringIO:
    """A text as a file."""

    def __init__(self, initial_value="", newline="\n"):
        self._parts, self._at, self.closed = [initial_value or ""], 0, False

    def _all(self):
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    def write(self, s):
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got {type(s).__name__!r}")
        text = self._all() if self._at is not None else ""
        if self._at is not None and self._at < len(text):
            self._parts = [text[:self._at] + s + text[self._at + len(s):]]
            self._at += len(s)
        else:
            self._parts.append(s)
            self._at = None
        return len(s)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def getvalue(self): return self._all()

    def tell(self): return len(self._all()) if self._at is None else self._at

    def seek(self, pos, whence=0):
        self._at = pos if whence == 0 else len(self._all()) + pos
        return self._at

    def read(self, size=-1):
        text, at = self._all(), self.tell()
        end = len(text) if size is None or size < 0 else at + size
        self._at = min(end, len(text))
        return text[at:end]

    def readline(self, size=-1):
        text, at = self._all(), self.tell()
        end = text.find("\n", at) + 1 or len(text)
        if size is not None and size >= 0:
            end = min(end, at + size)
        self._at = end
        return text[at:end]

    def readlines(self, hint=-1): return list(self)
    def __iter__(self): return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def truncate(self, size=None):
        self._parts = [self._all()[:self.tell() if size is None else size]]
        return len(self._parts[0])

    def flush(self): pass
    def close(self): self.closed = True
    def readable(self): return True
    def writable(self): return True
    def isatty(self): return False
    def __enter__(self): return self
    def __exit__(self, *exc): self.close()


TextIOBase = TextIOWrapper = StringIO
