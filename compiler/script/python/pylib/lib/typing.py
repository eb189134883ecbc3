"""Names for annotations."""

from _lang import noop as _noop, caller as _caller
import collections.abc as _abc

TYPE_CHECKING = False


class _ClassVar:
    _classvar = True
    def __getitem__(self, t): return self
    def __or__(self, other): return self
    def __repr__(self): return "typing.ClassVar"


ClassVar = _ClassVar()

Any = Union = Optional = Literal = Final = Annotated = Concatenate = TypeGuard = Self = Never = NoReturn = LiteralString = _noop
Required = NotRequired = ReadOnly = Unpack = TypeAlias = AnyStr = Text = AwaitableGenerator = _noop
SupportsFloat = SupportsInt = SupportsAbs = SupportsIndex = SupportsRound = SupportsBytes = SupportsComplex = _noop
IO = TextIO = BinaryIO = Pattern = Match = _noop
List, Dict, Tuple, Set, FrozenSet, Type = list, dict, tuple, set, frozenset, type
from collections import defaultdict as DefaultDict, OrderedDict, Counter, ChainMap, deque as Deque, _namedtuple

Hashable, Sized, Container, Iterable, Iterator = _abc.Hashable, _abc.Sized, _abc.Container, _abc.Iterable, _abc.Iterator
Generator, Reversible, Collection, Callable, Sequence = _abc.Generator, _abc.Reversible, _abc.Collection, _abc.Callable, _abc.Sequence
MutableSequence, ByteString, AbstractSet, MutableSet = _abc.MutableSequence, _abc.ByteString, _abc.Set, _abc.MutableSet
Mapping, MutableMapping, MappingView = _abc.Mapping, _abc.MutableMapping, _abc.MappingView
KeysView, ValuesView, ItemsView = _abc.KeysView, _abc.ValuesView, _abc.ItemsView
Awaitable, Coroutine, AsyncIterable, AsyncIterator = _abc.Awaitable, _abc.Coroutine, _abc.AsyncIterable, _abc.AsyncIterator
from contextlib import AbstractContextManager as ContextManager


class TypeVar:
    """A name that stands for a type."""
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False, default=None):
        self.__name__, self.__constraints__, self.__bound__ = name, constraints, bound
        self._sign = "+" if covariant else "-" if contravariant else "~"
    def __repr__(self): return self._sign + self.__name__
    def __or__(self, other): return _noop
    def __ror__(self, other): return _noop
    def __getitem__(self, t): return self


class ParamSpec(TypeVar):
    args = kwargs = _noop


class TypeVarTuple(TypeVar):
    def __iter__(self): return iter((self,))


class Generic:
    """A class with parameters for types, which mean nothing when it runs."""
    __slots__ = ()
    def __class_getitem__(cls, params): return cls


from abc import ABCMeta as _ABCMeta


class _ProtocolMeta(_ABCMeta):
    def __instancecheck__(cls, obj):
        names = cls.__dict__.get("_protocol")
        if names is None:
            return super().__instancecheck__(obj)
        if not cls.__dict__.get("_runtime"):
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        return all([hasattr(obj, n) for n in names])


_object_names = set(dir(object)) | {"__module__", "__qualname__", "__slots__", "__annotations__", "__abstractmethods__",
                                    "_protocol", "_runtime", "__init__", "_abc_registered", "__class_getitem__", "__match_args__"}


class Protocol(Generic, metaclass=_ProtocolMeta):
    """A class that says what others have to have."""

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        if Protocol in cls.__bases__:
            names = set()
            for base in cls.__mro__:
                if base is Protocol or base is object or base is Generic:
                    continue
                names.update([n for n in base.__dict__ if n not in _object_names])
                names.update(base.__annotations__)
            cls._protocol = sorted(names)


def runtime_checkable(cls):
    cls._runtime = True
    return cls


class _NamedTupleMeta(type):
    def __new__(mcls, name, bases, ns):
        if bases and NamedTuple in bases:
            cls = type.__new__(type, name, (), {"__classdef__": ns["__classdef__"]}) if "__classdef__" in ns else type(name, (), {})
            types = cls.__annotations__
            names = list(types)
            defaults = {}
            extra = {"__annotations__": types}
            for k, v in ns.items():
                if k in types:
                    defaults[k] = v
                elif k == "__classdef__":
                    continue
                elif k in ("__new__", "__init__", "__slots__", "_fields", "_make", "_replace", "_asdict"):
                    raise AttributeError("Cannot overwrite NamedTuple attribute " + k)
                else:
                    extra[k] = v
            seen = None
            for n in names:
                if n.startswith("_"):
                    raise ValueError(f"Field names cannot start with an underscore: {n!r}")
                if n in defaults:
                    seen = n
                elif seen is not None:
                    raise TypeError(f"Non-default namedtuple field {n} cannot follow default field {seen}")
            made = _namedtuple(name, names, defaults, extra, cls.__module__)
            if cls.__doc__:
                made.__doc__ = cls.__doc__
            return made
        return super().__new__(mcls, name, bases, ns)

    def __call__(cls, typename, fields=None, /, **kw):
        pairs = list(fields or kw.items())
        return _namedtuple(typename, [n for n, t in pairs], {}, {"__annotations__": dict(pairs)}, _caller())


class NamedTuple(metaclass=_NamedTupleMeta):
    """A tuple whose elements have names and types."""


class TypedDict(dict):
    """A dict whose keys have types."""
    def __init_subclass__(cls, total=True): pass


def NewType(name, tp):
    def new(x): return x
    new.__name__, new.__supertype__ = name, tp
    return new


def cast(typ, val): return val
def overload(f): return f
def final(f): return f
def override(f): return f
def no_type_check(f): return f
def assert_type(val, typ): return val
def reveal_type(val): return val
def dataclass_transform(**kw): return lambda f: f
def get_origin(tp): return None
def get_args(tp): return getattr(tp, "__args__", ())


def assert_never(arg):
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r}")


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    hints = {}
    for k in reversed(getattr(obj, "__mro__", (obj,))):
        if k is not object:
            hints.update(getattr(k, "__annotations__", {}))
    return hints
