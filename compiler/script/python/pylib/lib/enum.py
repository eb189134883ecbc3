"""Enumerations."""


class auto:
    """A value that the enumeration chooses."""

    def __init__(self): self.value = None
    def __or__(self, other): return _Later(lambda a, b: a | b, self, other)
    def __ror__(self, other): return _Later(lambda a, b: a | b, other, self)
    def __and__(self, other): return _Later(lambda a, b: a & b, self, other)
    def __rand__(self, other): return _Later(lambda a, b: a & b, other, self)
    def __xor__(self, other): return _Later(lambda a, b: a ^ b, self, other)
    def __add__(self, other): return _Later(lambda a, b: a + b, self, other)
    def __sub__(self, other): return _Later(lambda a, b: a - b, self, other)
    def __mul__(self, other): return _Later(lambda a, b: a * b, self, other)
    def __lshift__(self, other): return _Later(lambda a, b: a << b, self, other)
    def __rlshift__(self, other): return _Later(lambda a, b: a << b, other, self)
    def __invert__(self): return _Later(lambda a, b: ~a, self, 0)


class _Later(auto):
    """An expression of values that are chosen when the class is complete."""

    def __init__(self, op, a, b):
        self.op, self.a, self.b, self.value = op, a, b, None


def _resolve(v):
    if isinstance(v, _Later):
        if v.value is None:
            v.value = v.op(_resolve(v.a), _resolve(v.b))
        return v.value
    if isinstance(v, auto):
        return v.value
    return v


class member:
    """Make a member of what would be a method."""
    def __init__(self, value): self.value = value


class nonmember:
    """Keep an attribute from becoming a member."""
    def __init__(self, value): self.value = value


STRICT, CONFORM, EJECT, KEEP = "strict", "conform", "eject", "keep"


def _is_member_name(name, v):
    if name.startswith("__") and name.endswith("__"):
        return False
    if name.startswith("_") and name.endswith("_"):
        return False
    if isinstance(v, member):
        return True
    if isinstance(v, nonmember):
        return False
    return not (type(v) in _plain or hasattr(type(v), "__get__"))


_plain = (type(lambda: 0), property, staticmethod, classmethod)


def _rebind(name, old, new):
    hidden = name.startswith("_") and name.endswith("_")
    if not hidden and (_is_member_name(name, old) or _is_member_name(name, new)):
        raise TypeError("%r already defined as %r" % (name, old))


class EnumType(type):
    """The metaclass of enumerations."""

    _rebind_ = _rebind

    def __new__(mcls, name, bases, namespace, boundary=None, **kw):
        if not any(isinstance(b, EnumType) for b in bases):
            return super().__new__(mcls, name, bases, namespace, **kw)
        for b in bases:
            if isinstance(b, EnumType) and b._member_map_:
                raise TypeError(f"<enum '{name}'> cannot extend {b!r}")
        ignore = namespace.get("_ignore_", ())
        if isinstance(ignore, str):
            ignore = ignore.replace(",", " ").split()
        members = {}
        rest = {}
        for k, v in namespace.items():
            if k in ignore or k == "_ignore_" or k == "_order_":
                continue
            if k != "__classdef__" and _is_member_name(k, v):
                members[k] = v.value if isinstance(v, member) else v
            else:
                rest[k] = v.value if isinstance(v, nonmember) else v
        if "mro" in members:
            raise ValueError("invalid enum member name(s) 'mro'")
        rest["_member_map_"] = {}
        rest["_value2member_"] = []
        rest["_by_value_"] = {}
        new = rest.pop("__new__", None)
        cls = super().__new__(mcls, name, bases, rest, **kw)
        type.__setattr__(cls, "_boundary_", boundary or getattr(cls, "_boundary_", None))
        if new is not None:
            type.__setattr__(cls, "_member_new_", new)
        mixed = None
        for k in cls.__mro__:
            if k is not object and not isinstance(k, EnumType) and k in (int, float, str, bytes, tuple):
                mixed = k
                break
        type.__setattr__(cls, "_member_type_", mixed or object)
        chosen = []
        for count, (k, v) in enumerate(members.items()):
            v = _choose(cls, k, v, count, chosen)
            _add(cls, k, v, mixed)
            m = cls._member_map_[k]
            if m._value_ not in chosen or m._name_ == k:
                chosen.append(m._value_)
        return cls

    def __init__(cls, name, bases, namespace, **kw): pass

    def __call__(cls, value=_plain, names=_plain, *, module=None, qualname=None, type=None, start=1):
        if names is not _plain:
            return _functional(cls, value, names, type, start)
        if value is _plain:
            raise TypeError("EnumType.__call__() missing 1 required positional argument: 'value'")
        return _find(cls, value)

    def __iter__(cls):
        return iter([m for n, m in cls._member_map_.items() if m._name_ == n and cls._canonical_(m)])

    def __reversed__(cls):
        return reversed([m for n, m in cls._member_map_.items() if m._name_ == n and cls._canonical_(m)])

    def __len__(cls):
        return len([m for n, m in cls._member_map_.items() if m._name_ == n and cls._canonical_(m)])

    def __contains__(cls, v):
        if not isinstance(type(v), EnumType):
            raise TypeError("unsupported operand type(s) for 'in': %r and %r" % (type(v).__qualname__, cls.__name__))
        return isinstance(v, cls) and (v._name_ in cls._member_map_ or cls._is_flag_)

    def __getitem__(cls, name):
        if name not in cls._member_map_:
            raise KeyError(name)
        return cls._member_map_[name]

    def __setattr__(cls, name, v):
        if name in cls.__dict__.get("_member_map_", ()):
            raise AttributeError(f"cannot reassign member {name!r}")
        type.__setattr__(cls, name, v)

    def __delattr__(cls, name):
        if name in cls.__dict__.get("_member_map_", ()):
            raise AttributeError(f"{cls.__name__!r} cannot delete member {name!r}.")
        type.__delattr__(cls, name)

    def __repr__(cls):
        if cls._is_flag_ and cls._member_map_:
            return f"<flag {cls.__name__!r}>"
        return f"<enum {cls.__name__!r}>"

    @property
    def __members__(cls):
        return dict(cls._member_map_)


EnumMeta = EnumType


def _choose(cls, name, v, count, chosen):
    if isinstance(v, _Later):
        return _resolve(v)
    if isinstance(v, auto):
        if v.value is None:
            v.value = cls._generate_next_value_(name, 1, count, list(chosen))
        return v.value
    if isinstance(v, tuple) and any(isinstance(e, auto) for e in v):
        return tuple([_choose(cls, name, e, count, chosen) for e in v])
    return v


def _add(cls, name, value, mixed):
    args = value if isinstance(value, tuple) else (value,)
    if mixed is tuple:
        args = (value,)
    make = getattr(cls, "_member_new_", None)
    if make is not None:
        m = make(cls, *args)
        if "_value_" not in m.__dict__:
            m._value_ = value
    elif mixed is None:
        m = object.__new__(cls)
        m._value_ = value
    else:
        m = mixed.__new__(cls, *args)
        m._value_ = value if not isinstance(value, tuple) or mixed is tuple else mixed(*args)
    same = _lookup(cls, m._value_)
    if same is not None:
        cls._member_map_[name] = same
        type.__setattr__(cls, name, same)
        return
    m._name_ = name
    m._sort_order_ = len(cls._member_map_)
    if cls.__init__ is not object.__init__ and "__init__" in _names_until_enum(cls):
        m.__init__(*args)
        same = _lookup(cls, m._value_)
        if same is not None:
            m = same
    cls._member_map_[name] = m
    type.__setattr__(cls, name, m)
    cls._value2member_.append(m)
    try:
        cls._by_value_[m._value_] = m
    except TypeError:
        pass


def _names_until_enum(cls):
    names = set()
    for k in cls.__mro__:
        if k is Enum or k is object or k in (int, float, str, bytes, tuple):
            continue
        names.update(k.__dict__)
    return names


def _lookup(cls, value):
    try:
        return cls._by_value_.get(value)
    except TypeError:
        for m in cls._value2member_:
            if m._value_ == value:
                return m
    return None


def _find(cls, value):
    if type(value) is cls:
        return value
    m = _lookup(cls, value)
    if m is not None:
        return m
    m = cls._missing_(value)
    if m is None:
        raise ValueError("%r is not a valid %s" % (value, cls.__qualname__))
    if not isinstance(m, cls):
        raise TypeError("error in %s._missing_: returned %r instead of None or a valid member" % (cls.__name__, m))
    return m


def _functional(cls, name, names, mixin, start):
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    ns = {}
    for i, n in enumerate(names):
        if isinstance(names, dict):
            ns[n] = names[n]
        elif isinstance(n, (tuple, list)):
            ns[n[0]] = n[1]
        else:
            ns[n] = start + i if not cls._is_flag_ else start << i
    bases = (cls,) if mixin is None else (mixin, cls)
    return EnumType.__new__(EnumType, name, bases, ns)


class Enum(metaclass=EnumType):
    """An enumeration: its members are constants that know their names."""

    _is_flag_ = False
    _member_map_ = {}

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        numbers = [v for v in last_values if isinstance(v, (int, float))]
        if not last_values:
            return start
        if not numbers or len(numbers) < len(last_values):
            raise TypeError("unable to sort non-numeric values")
        return max(numbers) + 1

    @classmethod
    def _missing_(cls, value): return None

    @classmethod
    def _canonical_(cls, m): return True

    @property
    def name(self): return self._name_

    @property
    def value(self): return self._value_

    def __repr__(self):
        return "<%s.%s: %r>" % (self.__class__.__name__, self._name_, self._value_)

    def __str__(self): return "%s.%s" % (self.__class__.__name__, self._name_)
    def __format__(self, spec): return str.__format__(str(self), spec)

    def __setattr__(self, name, v):
        if name in ("name", "value"):
            raise AttributeError("<enum 'Enum'> cannot set attribute %r" % name)
        object.__setattr__(self, name, v)

    def __copy__(self): return self
    def __deepcopy__(self, memo): return self


class ReprEnum(Enum):
    """An enumeration that is shown and formatted as its values are."""
    def __str__(self): return str(self._value_)
    def __format__(self, spec): return format(self._value_, spec)


class IntEnum(int, ReprEnum):
    """An enumeration whose members are ints."""
    def __str__(self): return int.__repr__(self._value_)
    def __format__(self, spec): return format(self._value_, spec)


class StrEnum(str, ReprEnum):
    """An enumeration whose members are texts; auto() is the name in lower case."""

    @staticmethod
    def _generate_next_value_(name, start, count, last_values): return name.lower()

    def __str__(self): return self._value_
    def __format__(self, spec): return format(self._value_, spec)


class Flag(Enum):
    """An enumeration whose members can be combined with |, &, ^ and ~."""

    _is_flag_ = True
    _boundary_ = STRICT

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start if start is not None else 1
        return 1 << max(last_values).bit_length()

    @classmethod
    def _canonical_(cls, m):
        v = m._value_
        return v > 0 and v & (v - 1) == 0

    @classmethod
    def _mask(cls):
        mask = 0
        for m in cls._value2member_:
            mask |= m._value_
        return mask

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError("%r is not a valid %s" % (value, cls.__qualname__))
        mask = cls._mask()
        full = (1 << mask.bit_length()) - 1
        if value < 0:
            value = full + 1 + value if cls._boundary_ != KEEP else value & full
            value &= mask
        if value & ~mask:
            if cls._boundary_ == CONFORM:
                value &= mask
            elif cls._boundary_ == EJECT:
                return value
            elif cls._boundary_ != KEEP:
                n = max(value.bit_length(), mask.bit_length())
                raise ValueError("%r invalid value %r\n    given %s\n  allowed %s" % (
                    cls, value, "0b0 " + format(value, "0%db" % n), "0b0 " + format(mask, "0%db" % n)))
        same = _lookup(cls, value)
        if same is not None:
            return same
        m = cls._member_type_.__new__(cls, value) if cls._member_type_ is not object else object.__new__(cls)
        m._value_ = value
        names = [k._name_ for k in cls if k._value_ & value]
        rest = value & ~mask
        if rest:
            names.append(str(rest))
        m._name_ = "|".join(names) if names else None
        cls._by_value_[value] = m
        return m

    def __reduce(self, other, op):
        if isinstance(other, self.__class__):
            other = other._value_
        elif not (isinstance(other, int) and self._member_type_ is int):
            return NotImplemented
        return self.__class__(op(self._value_, other))

    def __or__(self, other): return self.__reduce(other, lambda a, b: a | b)
    def __and__(self, other): return self.__reduce(other, lambda a, b: a & b)
    def __xor__(self, other): return self.__reduce(other, lambda a, b: a ^ b)
    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__
    def __invert__(self): return self.__class__(self._mask() & ~self._value_)
    def __bool__(self): return bool(self._value_)

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError("unsupported operand type(s) for 'in': %r and %r" % (type(other).__qualname__, self.__class__.__qualname__))
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        return iter([m for m in self.__class__ if m._value_ & self._value_])

    def __len__(self):
        return bin(self._value_).count("1")

    def __repr__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return "<%s: %r>" % (name, self._value_)
        return "<%s.%s: %r>" % (name, self._name_, self._value_)

    def __str__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return "%s(%r)" % (name, self._value_)
        return "%s.%s" % (name, self._name_)


class IntFlag(int, ReprEnum, Flag):
    """A Flag whose members are ints."""
    _boundary_ = KEEP
    def __str__(self): return int.__repr__(self._value_)
    def __format__(self, spec): return format(self._value_, spec)
    def __repr__(self): return Flag.__repr__(self)


def unique(cls):
    """Refuse an enumeration in which two names have one value."""
    twins = [(n, m._name_) for n, m in cls._member_map_.items() if n != m._name_]
    if twins:
        raise ValueError("duplicate values found in %r: %s" % (cls, ", ".join(["%s -> %s" % t for t in twins])))
    return cls


def global_enum(cls): return cls
