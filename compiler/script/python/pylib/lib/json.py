"""Values as JSON text."""

from _json import loads as _loads, dumps as _dumps


class JSONDecodeError(ValueError):
    """A text is not JSON; says where."""

    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")


def _fail(msg, doc, pos):
    raise JSONDecodeError(msg, doc, pos)


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None, **kw):
    """The value that a JSON text stands for."""
    return _loads(s, _fail, object_hook, object_pairs_hook, parse_float, parse_int, parse_constant)


def load(fp, **kw):
    """The value in a file."""
    return loads(fp.read(), **kw)


class JSONEncoder:
    """Settings of dumps; override default for values of other classes."""

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False,
                 indent=None, separators=None, default=None):
        self.skipkeys, self.ensure_ascii, self.allow_nan, self.sort_keys, self.indent = skipkeys, ensure_ascii, allow_nan, sort_keys, indent
        self.item_separator, self.key_separator = separators or ("," if indent is not None else ", ", ": ")
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        indent = self.indent
        if isinstance(indent, int) and not isinstance(indent, str):
            indent = " " * indent
        plain = "default" not in self.__dict__ and type(self).default is JSONEncoder.default
        return _dumps(o, bool(self.skipkeys), bool(self.ensure_ascii), bool(self.allow_nan), indent, self.item_separator,
                      self.key_separator, None if plain else self.default, bool(self.sort_keys))

    def iterencode(self, o): yield self.encode(o)


class JSONDecoder:
    def __init__(self, **kw): self._kw = kw
    def decode(self, s): return loads(s, **self._kw)


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None,
          separators=None, default=None, sort_keys=False, **kw):
    """The JSON text of a value."""
    return (cls or JSONEncoder)(skipkeys=skipkeys, ensure_ascii=ensure_ascii, allow_nan=allow_nan, sort_keys=sort_keys,
                                indent=indent, separators=separators, default=default, **kw).encode(obj)


def dump(obj, fp, **kw):
    """Write the JSON text of a value to a file."""
    fp.write(dumps(obj, **kw))
