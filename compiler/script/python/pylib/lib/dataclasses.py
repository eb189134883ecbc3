"""Classes that are made of their annotated variables."""

from _lang import define as _define
import copy as _copy


class _Missing:
    def __repr__(self): return "<dataclasses._MISSING_TYPE object>"


MISSING = _Missing()


class _KwOnly:
    pass


KW_ONLY = _KwOnly()


class InitVar:
    """An argument of __init__ that __post_init__ gets and that is no field."""
    def __init__(self, type): self.type = type
    def __class_getitem__(cls, type): return InitVar(type)
    def __repr__(self): return f"dataclasses.InitVar[{getattr(self.type, '__name__', repr(self.type))}]"


class FrozenInstanceError(AttributeError):
    pass


class Field:
    """What is known of one field."""
    __slots__ = ("name", "type", "default", "default_factory", "repr", "hash", "init", "compare", "metadata", "kw_only", "_kind")

    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = self.type = None
        self.default, self.default_factory, self.init, self.repr = default, default_factory, init, repr
        self.hash, self.compare, self.metadata, self.kw_only = hash, compare, metadata or {}, kw_only
        self._kind = "field"

    def __repr__(self):
        return ("Field(name=%r,type=%r,default=%r,default_factory=%r,init=%r,repr=%r,hash=%r,compare=%r,metadata=%r,kw_only=%r)"
                % (self.name, self.type, self.default, self.default_factory, self.init, self.repr, self.hash, self.compare, self.metadata, self.kw_only))


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=MISSING):
    """Say more of a field than its default."""
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _kind_of(annotation):
    if isinstance(annotation, InitVar) or annotation is InitVar:
        return "initvar"
    if annotation is KW_ONLY:
        return "kw_only"
    if isinstance(annotation, str):
        text = annotation.strip().strip("'\"")
        last = text.split("[")[0].split(".")[-1].strip()
        if last == "ClassVar":
            return "classvar"
        if last == "InitVar":
            return "initvar"
        if last == "KW_ONLY":
            return "kw_only"
    if getattr(annotation, "_classvar", False) is True:
        return "classvar"
    return "field"


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False,
              match_args=True, kw_only=False, slots=False, weakref_slot=False):
    """Add __init__, __repr__, __eq__ and more to a class, by its annotated variables."""
    def decorate(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots)
    return decorate if cls is None else decorate(cls)


def _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots):
    fields = {}
    bases_frozen = []
    for base in cls.__mro__[-1:0:-1]:
        inherited = base.__dict__.get("__dataclass_fields__")
        if inherited is not None:
            fields.update(inherited)
            bases_frozen.append(base.__dict__["__dataclass_params__"].frozen)
    if bases_frozen:
        if any(bases_frozen) and not frozen:
            raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
        if not all(bases_frozen) and frozen:
            raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
    only = kw_only
    own = []
    for name, note in cls.__annotations__.items():
        kind = _kind_of(note)
        if kind == "kw_only":
            only = True
            continue
        given = cls.__dict__.get(name, MISSING)
        f = given if isinstance(given, Field) else field(default=given)
        f.name, f.type, f._kind = name, note, kind
        if kind == "classvar" and f.default_factory is not MISSING:
            raise TypeError(f"field {name} cannot have a default factory")
        if f.kw_only is MISSING:
            f.kw_only = only
        if kind == "field" and type(f.default) in (list, dict, set):
            raise ValueError(f"mutable default {type(f.default)} for field {name} is not allowed: use default_factory")
        if kind == "field" and getattr(type(f.default), "__hash__", 0) is None:
            raise ValueError(f"mutable default {type(f.default)} for field {name} is not allowed: use default_factory")
        if isinstance(given, Field):
            if f.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, f.default)
        fields[name] = f
        own.append(f)
    for name, v in cls.__dict__.items():
        if isinstance(v, Field) and name not in cls.__annotations__:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    cls.__dataclass_fields__ = fields
    cls.__dataclass_params__ = _Params(init, repr, eq, order, unsafe_hash, frozen)
    real = [f for f in fields.values() if f._kind == "field"]
    if init:
        _set(cls, "__init__", _make_init(cls, fields, frozen))
    if repr and "__repr__" not in cls.__dict__:
        shown = [f.name for f in real if f.repr]
        _set(cls, "__repr__", _make_repr(shown))
    compared = [f.name for f in real if f.compare]
    if eq and "__eq__" not in cls.__dict__:
        _set(cls, "__eq__", _make_compare("__eq__", compared, lambda a, b: a == b))
    if order:
        if not eq:
            raise ValueError("eq must be true if order is true")
        for name, op in (("__lt__", lambda a, b: a < b), ("__le__", lambda a, b: a <= b),
                         ("__gt__", lambda a, b: a > b), ("__ge__", lambda a, b: a >= b)):
            if name in cls.__dict__:
                raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}. Consider using functools.total_ordering")
            _set(cls, name, _make_compare(name, compared, op))
    made = [cls]
    if frozen:
        for name in ("__setattr__", "__delattr__"):
            if name in cls.__dict__:
                raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}")
        names = {f.name for f in real}

        def __setattr__(self, name, value):
            if type(self) is made[0] or name in names:
                raise FrozenInstanceError(f"cannot assign to field {name!r}")
            super(made[0], self).__setattr__(name, value)

        def __delattr__(self, name):
            if type(self) is made[0] or name in names:
                raise FrozenInstanceError(f"cannot delete field {name!r}")
            super(made[0], self).__delattr__(name)
        cls.__setattr__, cls.__delattr__ = __setattr__, __delattr__
    own_hash = cls.__dict__.get("__hash__", MISSING)
    if unsafe_hash or eq and frozen and own_hash is MISSING:
        hashed = [f.name for f in real if (f.compare if f.hash is None else f.hash)]
        cls.__hash__ = _make_hash(hashed)
    elif eq and own_hash is MISSING:
        cls.__hash__ = None
    if match_args and "__match_args__" not in cls.__dict__:
        cls.__match_args__ = tuple([f.name for f in fields.values() if f._kind != "classvar" and f.init and not f.kw_only])
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__ + "(" + ", ".join([f.name for f in real if f.init]) + ")"
    if slots:
        made[0] = cls = _with_slots(cls, own)
    return cls


class _Params:
    def __init__(self, init, repr, eq, order, unsafe_hash, frozen):
        self.init, self.repr, self.eq, self.order, self.unsafe_hash, self.frozen = init, repr, eq, order, unsafe_hash, frozen


def _set(cls, name, f):
    f.__qualname__ = cls.__qualname__ + "." + name
    setattr(cls, name, f)


def _with_slots(cls, own):
    if "__slots__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    ns = dict(cls.__dict__)
    names = [f.name for f in own if f._kind == "field"]
    for n in names:
        ns.pop(n, None)
    ns["__slots__"] = tuple(names)
    ns["__module__"] = cls.__module__
    ns["__doc__"] = cls.__doc__
    return type(cls)(cls.__name__, cls.__bases__, ns)


def _make_init(cls, fields, frozen):
    taken = [f for f in fields.values() if f._kind in ("field", "initvar")]
    positional = [f for f in taken if f.init and not f.kw_only]
    keyword = [f for f in taken if f.init and f.kw_only]
    defaulted = None
    for f in positional:
        if f.default is not MISSING or f.default_factory is not MISSING:
            defaulted = f
        elif defaulted is not None:
            raise TypeError(f"non-default argument {f.name!r} follows default argument")
    scope = {"_missing": MISSING, "_fields": fields, "_set": object.__setattr__}
    self_name = "self" if "self" not in fields else "__dataclass_self__"

    def param(f):
        if f.default is not MISSING:
            return f"{f.name}=_fields[{f.name!r}].default"
        if f.default_factory is not MISSING:
            return f"{f.name}=_missing"
        return f.name
    params = [self_name] + [param(f) for f in positional]
    if keyword:
        params += ["*"] + [param(f) for f in keyword]
    body = []
    for f in taken:
        value = f.name
        if f.default_factory is not MISSING:
            scope["_make_" + f.name] = f.default_factory
            value = f"_make_{f.name}() if {f.name} is _missing else {f.name}" if f.init else f"_make_{f.name}()"
        elif not f.init:
            continue
        if f._kind == "initvar":
            continue
        body.append(f"_set({self_name}, {f.name!r}, {value})" if frozen else f"{self_name}.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(f"{self_name}.__post_init__(" + ", ".join([f.name for f in taken if f._kind == "initvar"]) + ")")
    name = cls.__name__
    text = f"class {name}:\n    def __init__({', '.join(params)}):\n" + "".join(["        " + b + "\n" for b in body or ["pass"]])
    _define("dataclass", text, scope)
    return scope[name].__init__


def _make_repr(names):
    running = []

    def __repr__(self):
        if any([o is self for o in running]):
            return "..."
        running.append(self)
        try:
            return type(self).__qualname__ + "(" + ", ".join([f"{n}={getattr(self, n)!r}" for n in names]) + ")"
        finally:
            running.pop()
    return __repr__


def _make_compare(name, names, op):
    def compare(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return op(tuple([getattr(self, n) for n in names]), tuple([getattr(other, n) for n in names]))
    compare.__name__ = name
    return compare


def _make_hash(names):
    return lambda self: hash(tuple([getattr(self, n) for n in names]))


def fields(class_or_instance):
    """The fields of a dataclass."""
    found = getattr(class_or_instance, "__dataclass_fields__", None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple([f for f in found.values() if f._kind == "field"])


def is_dataclass(obj):
    """Whether this is a dataclass or an instance of one."""
    return hasattr(obj if isinstance(obj, type) else type(obj), "__dataclass_fields__")


def _check(obj, what):
    if isinstance(obj, type) or not hasattr(type(obj), "__dataclass_fields__"):
        raise TypeError(f"{what}() should be called on dataclass instances")


def asdict(obj, *, dict_factory=dict):
    """The fields of an object as a dict, also in those inside."""
    _check(obj, "asdict")
    return dict_factory([(f.name, _walk(getattr(obj, f.name), dict_factory, asdict)) for f in fields(obj)])


def astuple(obj, *, tuple_factory=tuple):
    """The fields of an object as a tuple, also in those inside."""
    _check(obj, "astuple")
    return tuple_factory([_walk(getattr(obj, f.name), tuple_factory, astuple) for f in fields(obj)])


def _walk(v, factory, whole):
    if hasattr(type(v), "__dataclass_fields__"):
        return whole(v, dict_factory=factory) if whole is asdict else whole(v, tuple_factory=factory)
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return type(v)(*[_walk(e, factory, whole) for e in v])
    if isinstance(v, (list, tuple)):
        return type(v)([_walk(e, factory, whole) for e in v])
    if isinstance(v, dict):
        return type(v)([(_walk(k, factory, whole), _walk(e, factory, whole)) for k, e in v.items()])
    return _copy.deepcopy(v)


def replace(obj, /, **changes):
    """A copy of an object with some fields changed."""
    _check(obj, "replace")
    for f in obj.__dataclass_fields__.values():
        if f._kind == "classvar":
            continue
        if not f.init:
            if f.name in changes:
                raise ValueError(f"field {f.name} is declared with init=False, it cannot be specified with replace()")
            continue
        if f.name not in changes:
            if f._kind == "initvar" and f.default is MISSING:
                raise ValueError(f"InitVar {f.name!r} must be specified with replace()")
            if f._kind == "field":
                changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **kw):
    """A dataclass of names, pairs of name and type, or triples with a field."""
    ns = dict(namespace or {})
    notes = {}
    for f in fields:
        if isinstance(f, str):
            f = (f, "typing.Any")
        notes[f[0]] = f[1]
        if len(f) == 3:
            ns[f[0]] = f[2]
    ns["__annotations__"] = notes
    return dataclass(type(cls_name, tuple(bases), ns), **kw)
