"""Containers."""

from _collections import deque
from _lang import define as _define, caller as _caller, iskeyword as _iskeyword
import collections.abc as abc


class defaultdict(dict):
    """A dict that makes values for keys that are not there."""

    def __init__(self, default_factory=None, /, *args, **kw):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        super().__init__(*args, **kw)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = v = self.default_factory()
        return v

    def copy(self): return type(self)(self.default_factory, self)
    __copy__ = copy

    def __repr__(self):
        return f"defaultdict({self.default_factory!r}, {dict.__repr__(self)})"

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        new = self.copy()
        new.update(other)
        return new


class OrderedDict(dict):
    """A dict whose keys can be moved, and whose order counts in comparisons."""

    def move_to_end(self, key, last=True):
        v = self.pop(key) if key in self else _no_key(key)
        if last:
            self[key] = v
            return
        rest = list(self.items())
        self.clear()
        self[key] = v
        self.update(rest)

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self)) if last else next(iter(self))
        return key, self.pop(key)

    def copy(self): return type(self)(self)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and list(self) == list(other)
        return dict.__eq__(self, other)

    def __ne__(self, other): return not self == other
    __hash__ = None

    def __repr__(self):
        return f"OrderedDict({list(self.items())!r})" if self else "OrderedDict()"


def _no_key(key):
    raise KeyError(key)


class Counter(dict):
    """A dict of how often each element is there."""

    def __init__(self, iterable=None, /, **kw):
        super().__init__()
        self.update(iterable, **kw)

    def __missing__(self, key): return 0

    def update(self, iterable=None, /, **kw):
        """Add the counts of another mapping, or of elements."""
        if iterable is not None:
            if isinstance(iterable, dict):
                for k, n in iterable.items():
                    self[k] = n + self.get(k, 0)
            else:
                for k in iterable:
                    self[k] = self.get(k, 0) + 1
        if kw:
            self.update(kw)

    def subtract(self, iterable=None, /, **kw):
        """Take the counts of another mapping, or of elements, away."""
        if iterable is not None:
            if isinstance(iterable, dict):
                for k, n in iterable.items():
                    self[k] = self.get(k, 0) - n
            else:
                for k in iterable:
                    self[k] = self.get(k, 0) - 1
        if kw:
            self.subtract(kw)

    def most_common(self, n=None):
        """The elements with the largest counts."""
        items = sorted(self.items(), key=lambda kv: kv[1], reverse=True)
        return items if n is None else items[:max(n, 0)]

    def elements(self):
        """Each element as often as its count says."""
        for k, n in self.items():
            for _ in range(n):
                yield k

    def total(self): return sum(self.values())
    def copy(self): return type(self)(self)
    __copy__ = copy

    @classmethod
    def fromkeys(cls, iterable, v=None):
        raise NotImplementedError("Counter.fromkeys() is undefined.  Use Counter(iterable) instead.")

    def __delitem__(self, key):
        if key in self:
            dict.pop(self, key)

    def _keep(self):
        return type(self)({k: n for k, n in self.items() if n > 0})

    def __add__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        r = Counter(self)
        r.update(other)
        return r._keep()

    def __sub__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        r = Counter(self)
        r.subtract(other)
        return r._keep()

    def __or__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        r = Counter(self)
        for k, n in other.items():
            if n > r[k]:
                r[k] = n
        return r._keep()

    def __and__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return Counter({k: min(n, other[k]) for k, n in self.items()})._keep()

    def __iadd__(self, other): return self + other
    def __isub__(self, other): return self - other
    def __ior__(self, other): return self | other
    def __iand__(self, other): return self & other
    def __pos__(self): return self._keep()
    def __neg__(self): return Counter({k: -n for k, n in self.items() if n < 0})

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return dict.__eq__(self, other)
        return all([self[k] == other[k] for k in {**self, **other}])

    def __ne__(self, other): return not self == other
    def __le__(self, other): return all([self[k] <= other[k] for k in {**self, **other}])
    def __lt__(self, other): return self <= other and self != other
    def __ge__(self, other): return other <= self
    def __gt__(self, other): return other < self
    __hash__ = None

    def __repr__(self):
        if not self:
            return "Counter()"
        return "Counter({" + ", ".join(["%r: %r" % kv for kv in self.most_common()]) + "})"


class ChainMap:
    """Several mappings as one; the first that has a key counts."""

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for m in self.maps:
            if key in m:
                return m[key]
        return self.__missing__(key)

    def __missing__(self, key): raise KeyError(key)
    def get(self, key, default=None): return self[key] if key in self else default
    def __contains__(self, key): return any([key in m for m in self.maps])
    def __len__(self): return len(self._all())
    def __iter__(self): return iter(self._all())
    def __bool__(self): return any(self.maps)

    def _all(self):
        d = {}
        for m in reversed(self.maps):
            d.update(dict.fromkeys(m))
        return d

    def keys(self): return self._all().keys()
    def values(self): return [self[k] for k in self]
    def items(self): return [(k, self[k]) for k in self]
    def __setitem__(self, key, v): self.maps[0][key] = v

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def pop(self, key, *default):
        if key not in self.maps[0] and not default:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *default)

    def update(self, *args, **kw): self.maps[0].update(*args, **kw)
    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]
    def new_child(self, m=None, **kw): return type(self)({**(m or {}), **kw} if kw or m is None else m, *self.maps)
    @property
    def parents(self): return type(self)(*self.maps[1:])
    def copy(self): return type(self)(self.maps[0].copy(), *self.maps[1:])
    def __eq__(self, other): return dict(self.items()) == (dict(other.items()) if isinstance(other, ChainMap) else other)
    def __repr__(self): return "ChainMap(" + ", ".join([repr(m) for m in self.maps]) + ")"


class UserDict(dict): pass
class UserList(list): pass
class UserString(str): pass


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    """A class of tuples whose elements have names."""
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    names = [str(n) for n in field_names]
    if rename:
        seen = set()
        for i, n in enumerate(names):
            if not n.isidentifier() or _iskeyword(n) or n.startswith("_") or n in seen:
                names[i] = f"_{i}"
            seen.add(n)
    for n in [typename] + names:
        if not isinstance(n, str):
            raise TypeError("Type names and field names must be strings")
        if not n.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {n!r}")
        if _iskeyword(n):
            raise ValueError(f"Type names and field names cannot be a keyword: {n!r}")
    seen = set()
    for n in names:
        if n.startswith("_") and not rename:
            raise ValueError(f"Field names cannot start with an underscore: {n!r}")
        if n in seen:
            raise ValueError(f"Encountered duplicate field name: {n!r}")
        seen.add(n)
    defaults = tuple(defaults or ())
    if len(defaults) > len(names):
        raise TypeError("Got more default values than field names")
    return _namedtuple(typename, names, dict(zip(names[len(names) - len(defaults):], defaults)), {}, module or _caller())


def _namedtuple(typename, names, defaults, extra, module):
    params = "".join([", " + n + (f"=_defaults[{n!r}]" if n in defaults else "") for n in names])
    values = "".join([n + ", " for n in names])
    made = {"_tuple": tuple, "_defaults": defaults}
    _define("namedtuple", f"class {typename}:\n    def __new__(_cls{params}):\n        return _tuple.__new__(_cls, ({values}))\n", made)
    new = made[typename].__new__

    def _make(cls, iterable):
        r = tuple.__new__(cls, iterable)
        if len(r) != len(names):
            raise TypeError(f"Expected {len(names)} arguments, got {len(r)}")
        return r

    def _replace(self, /, **kw):
        r = self._make([kw.pop(n, v) for n, v in zip(names, self)])
        if kw:
            raise ValueError(f"Got unexpected field names: {list(kw)!r}")
        return r

    def _asdict(self): return dict(zip(names, self))

    def __repr__(self):
        return type(self).__name__ + "(" + ", ".join([f"{n}={v!r}" for n, v in zip(names, self)]) + ")"

    ns = {
        "__new__": new, "_make": classmethod(_make), "_replace": _replace, "_asdict": _asdict, "__repr__": __repr__,
        "_fields": tuple(names), "_field_defaults": defaults, "__match_args__": tuple(names),
        "__slots__": (), "__module__": module, "__getnewargs__": lambda self: tuple(self),
        "__doc__": f"{typename}({', '.join(names)})",
    }
    for i, n in enumerate(names):
        ns[n] = property(_getter(i))
    ns.update(extra)
    return type(typename, (tuple,), ns)


def _getter(i):
    return lambda self: self[i]
