"""Abstract base classes."""


def abstractmethod(f):
    """Mark a method that derived classes have to define."""
    target = f.fget if isinstance(f, property) else f
    target = getattr(target, "__func__", target)
    target.__isabstractmethod__ = True
    return f


def _is_abstract(v):
    if isinstance(v, property):
        return _is_abstract(v.fget)
    return getattr(getattr(v, "__func__", v), "__isabstractmethod__", False) is True


class ABCMeta(type):
    """The metaclass of abstract classes."""

    def __new__(mcls, name, bases, namespace, **kw):
        cls = super().__new__(mcls, name, bases, namespace, **kw)
        update_abstractmethods(cls)
        cls._abc_registered = []
        for base in bases:
            if isinstance(base, ABCMeta):
                base._abc_registered.append(cls)
        return cls

    def register(cls, other):
        """Have another class count as derived from this one."""
        cls._abc_registered.append(other)
        return other

    def __instancecheck__(cls, obj):
        return cls.__subclasscheck__(type(obj))

    def __subclasscheck__(cls, sub):
        if type.__subclasscheck__(cls, sub):
            return True
        hook = cls.__dict__.get("__subclasshook__")
        if hook is not None:
            r = hook.__func__(cls, sub)
            if r is not NotImplemented:
                return r
        return any(issubclass(sub, r) for r in cls.__dict__["_abc_registered"])


def update_abstractmethods(cls):
    """Find the abstract methods of a class anew, after methods were added."""
    names = {n for n, v in cls.__dict__.items() if _is_abstract(v)}
    for base in cls.__bases__:
        for n in getattr(base, "__abstractmethods__", ()):
            if _is_abstract(getattr(cls, n, None)):
                names.add(n)
    cls.__abstractmethods__ = frozenset(names)
    return cls


class ABC(metaclass=ABCMeta):
    """A class to derive abstract classes from."""


abstractproperty = property
