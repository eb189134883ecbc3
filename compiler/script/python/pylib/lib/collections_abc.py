"""Abstract classes of containers, for isinstance and annotations."""

from abc import ABCMeta, abstractmethod


def _has(*methods, also=()):
    def hook(cls, sub):
        if issubclass(sub, also):
            return True
        for m in methods:
            v = getattr(sub, m, None)
            if v is None:
                return NotImplemented
        return True
    return classmethod(hook)


class _Named(ABCMeta):
    def __getitem__(cls, params): return cls


_sized = (str, bytes, tuple, list, dict, set, frozenset, range)
_iterators = (type(iter([])), type(iter(())), type(iter("")), type(iter({})), type(iter(set())), type(iter(range(0))),
              type(zip()), type(map(len, [])), type(filter(None, [])), type(enumerate([])), type(reversed([])), type(x for x in ()))
_views = (type({}.keys()), type({}.values()), type({}.items()))


class Hashable(metaclass=_Named):
    @classmethod
    def __subclasshook__(cls, sub):
        if issubclass(sub, (list, dict, set)):
            return False
        return getattr(sub, "__hash__", None) is not None
class Sized(metaclass=_Named):
    __subclasshook__ = _has("__len__", also=_sized + _views)
class Container(metaclass=_Named):
    __subclasshook__ = _has("__contains__", also=_sized + _views)
class Iterable(metaclass=_Named):
    __subclasshook__ = _has("__iter__", also=_sized + _iterators + _views)
class Iterator(Iterable):
    __subclasshook__ = _has("__iter__", "__next__", also=_iterators)
    def __iter__(self): return self
class Generator(Iterator):
    __subclasshook__ = _has("send", "throw", "close", also=(type(x for x in ()),))
class Reversible(Iterable):
    __subclasshook__ = _has("__reversed__", also=(str, bytes, tuple, list, dict, range))
class Collection(Sized, Iterable, Container):
    __subclasshook__ = _has("__len__", "__iter__", "__contains__", also=_sized + _views)
class Callable(metaclass=_Named):
    __subclasshook__ = _has("__call__", also=(type(len), type(lambda: 0), type([].append), type))
class Sequence(Reversible, Collection):
    @classmethod
    def __subclasshook__(cls, sub):
        return NotImplemented
    def __iter__(self):
        i = 0
        while i < len(self):
            yield self[i]
            i += 1
    def __contains__(self, x): return any([e is x or e == x for e in self])
    def __reversed__(self): return iter([self[i] for i in range(len(self) - 1, -1, -1)])
    def index(self, x, start=0, stop=None):
        for i in range(start, len(self) if stop is None else stop):
            if self[i] == x:
                return i
        raise ValueError
    def count(self, x): return sum([1 for e in self if e is x or e == x])
class MutableSequence(Sequence):
    def append(self, x): self.insert(len(self), x)
    def extend(self, xs):
        for x in list(xs): self.append(x)
    def pop(self, i=-1):
        v = self[i]
        del self[i]
        return v
    def remove(self, x): del self[self.index(x)]
    def clear(self):
        while len(self): self.pop()
    def reverse(self):
        rest = list(self)[::-1]
        for i, v in enumerate(rest): self[i] = v
    def __iadd__(self, xs):
        self.extend(xs)
        return self
class ByteString(Sequence):
    __subclasshook__ = classmethod(lambda cls, sub: NotImplemented)
class Set(Collection):
    __subclasshook__ = classmethod(lambda cls, sub: NotImplemented)
    def __le__(self, other): return all([x in other for x in self])
    def __eq__(self, other): return len(self) == len(other) and self <= other
    def __and__(self, other): return {x for x in self if x in other}
    def __or__(self, other): return set(self) | set(other)
    def __sub__(self, other): return {x for x in self if x not in other}
    def isdisjoint(self, other): return not any([x in self for x in other])
class MutableSet(Set):
    __subclasshook__ = classmethod(lambda cls, sub: NotImplemented)
class Mapping(Collection):
    __subclasshook__ = classmethod(lambda cls, sub: NotImplemented)
    def get(self, key, default=None):
        try: return self[key]
        except KeyError: return default
    def __contains__(self, key):
        try: self[key]
        except KeyError: return False
        return True
    def keys(self): return list(self)
    def values(self): return [self[k] for k in self]
    def items(self): return [(k, self[k]) for k in self]
    def __eq__(self, other):
        if not isinstance(other, Mapping): return NotImplemented
        return dict(self.items()) == dict(other.items())
class MutableMapping(Mapping):
    __subclasshook__ = classmethod(lambda cls, sub: NotImplemented)
    def pop(self, key, *default):
        try: v = self[key]
        except KeyError:
            if default: return default[0]
            raise
        del self[key]
        return v
    def setdefault(self, key, default=None):
        if key not in self: self[key] = default
        return self[key]
    def update(self, other=(), /, **kw):
        for k in (other if hasattr(other, "keys") else ()): self[k] = other[k]
        for k, v in (() if hasattr(other, "keys") else other): self[k] = v
        for k, v in kw.items(): self[k] = v
    def clear(self):
        for k in list(self): del self[k]
class MappingView(Sized):
    __subclasshook__ = _has("_no_such_method", also=_views)
class KeysView(MappingView, Set): __subclasshook__ = _has("_no_such_method", also=_views[:1])
class ValuesView(MappingView, Collection): __subclasshook__ = _has("_no_such_method", also=_views[1:2])
class ItemsView(MappingView, Set): __subclasshook__ = _has("_no_such_method", also=_views[2:])
class Awaitable(metaclass=_Named): pass
class Coroutine(Awaitable): pass
class AsyncIterable(metaclass=_Named): pass
class AsyncIterator(AsyncIterable): pass
class Buffer(metaclass=_Named): pass

for _c in (str, bytes, tuple, list, range): Sequence.register(_c)
MutableSequence.register(list)
ByteString.register(bytes)
for _c in (set, frozenset): Set.register(_c)
MutableSet.register(set)
Mapping.register(dict)
MutableMapping.register(dict)
from _collections import deque as _deque
MutableSequence.register(_deque)
