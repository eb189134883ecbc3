"""Tables with commas."""

from _csv import reader as _reader

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


class Error(Exception):
    pass


def _fail(message): raise Error(message)


class Dialect:
    delimiter, quotechar, escapechar, doublequote = ",", '"', None, True
    skipinitialspace, lineterminator, quoting, strict = False, "\r\n", QUOTE_MINIMAL, False


class excel(Dialect): pass
class excel_tab(excel): delimiter = "\t"
class unix_dialect(Dialect):
    lineterminator, quoting = "\n", QUOTE_ALL


_dialects = {"excel": excel, "excel-tab": excel_tab, "unix": unix_dialect}


def register_dialect(name, dialect=None, **fmt):
    _dialects[name] = _settings(dialect or "excel", fmt)


def get_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def unregister_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    del _dialects[name]


def list_dialects(): return list(_dialects)


class _Settings(Dialect):
    pass


def _settings(dialect, fmt):
    base = get_dialect(dialect) if isinstance(dialect, str) else dialect
    s = _Settings()
    for name in ("delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "lineterminator", "quoting", "strict"):
        setattr(s, name, fmt.pop(name) if name in fmt else getattr(base, name))
    if fmt:
        raise TypeError(f"{next(iter(fmt))!r} is an invalid keyword argument for this function")
    return s


def reader(csvfile, dialect="excel", **fmt):
    """The rows of a file, or of any lines, as lists of texts."""
    s = _settings(dialect, fmt)
    return _reader(csvfile, s.delimiter, None if s.quoting == QUOTE_NONE else s.quotechar, s.escapechar, s.doublequote,
                   s.skipinitialspace, s.strict, s.quoting == QUOTE_NONNUMERIC, _fail)


class writer:
    """Write rows to a file."""

    def __init__(self, csvfile, dialect="excel", **fmt):
        self._write, self.dialect = csvfile.write, _settings(dialect, fmt)

    def writerow(self, row):
        d, out = self.dialect, []
        row = list(row)
        for v in row:
            s = "" if v is None else repr(v) if type(v) is float else str(v)
            special = d.delimiter in s or d.quotechar is not None and d.quotechar in s or "\n" in s or "\r" in s or d.lineterminator in s
            number = isinstance(v, (int, float))
            if d.quoting == QUOTE_NONE:
                if special:
                    if d.escapechar is None:
                        raise Error("need to escape, but no escapechar set")
                    for c in (d.escapechar, d.delimiter, d.quotechar or "", "\n", "\r"):
                        if c:
                            s = s.replace(c, d.escapechar + c)
            elif d.quoting == QUOTE_ALL or special or d.quoting == QUOTE_NONNUMERIC and not number or s == "" and len(row) == 1:
                q = d.quotechar
                s = q + s.replace(q, q + q if d.doublequote else (d.escapechar or "") + q) + q
            out.append(s)
        return self._write(d.delimiter.join(out) + d.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


class DictReader:
    """The rows of a file as dicts, with the names of the first row."""

    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", *args, **kw):
        self.reader = reader(f, dialect, *args, **kw)
        self._fieldnames, self.restkey, self.restval = fieldnames, restkey, restval

    @property
    def fieldnames(self):
        if self._fieldnames is None:
            self._fieldnames = next(self.reader, None)
        return self._fieldnames

    @property
    def line_num(self): return self.reader.line_num

    def __iter__(self): return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while not row:
            row = next(self.reader)
        d = dict(zip(names or [], row))
        n = len(names or [])
        if len(row) > n:
            d[self.restkey] = row[n:]
        for name in (names or [])[len(row):]:
            d[name] = self.restval
        return d


class DictWriter:
    """Write dicts to a file."""

    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", *args, **kw):
        self.fieldnames, self.restval, self.extrasaction = fieldnames, restval, extrasaction
        self.writer = writer(f, dialect, *args, **kw)

    def writeheader(self): return self.writerow({n: n for n in self.fieldnames})

    def _row(self, d):
        if self.extrasaction == "raise":
            wrong = [k for k in d if k not in self.fieldnames]
            if wrong:
                raise ValueError("dict contains fields not in fieldnames: " + ", ".join([repr(k) for k in wrong]))
        return [d.get(n, self.restval) for n in self.fieldnames]

    def writerow(self, d): return self.writer.writerow(self._row(d))

    def writerows(self, rows):
        for d in rows:
            self.writerow(d)
