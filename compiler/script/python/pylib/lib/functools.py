"""Functions that work on functions."""

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """Make a function look like the one that it wraps."""
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    for name, v in getattr(wrapped, "__dict__", {}).items():
        setattr(wrapper, name, v)
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """A decorator that makes a function look like the one that it wraps."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


_missing = object()


def reduce(function, iterable, initial=_missing, /):
    """Fold the elements of an iterable from the left."""
    it = iter(iterable)
    if initial is _missing:
        for value in it:
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    else:
        value = initial
    for x in it:
        value = function(value, x)
    return value


class partial:
    """A function with some of its arguments given."""

    def __init__(self, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

    def __repr__(self):
        parts = [repr(self.func)] + [repr(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.keywords.items()]
        return "functools.partial(" + ", ".join(parts) + ")"


class partialmethod:
    """A method with some of its arguments given."""

    def __init__(self, func, /, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords

    def __get__(self, obj, owner=None):
        if hasattr(self.func, "__get__"):
            f = self.func.__get__(obj, owner)
        else:
            f = partial(self.func, obj) if obj is not None else self.func
        return partial(f, *self.args, **self.keywords)


class _CacheInfo(tuple):
    def __new__(cls, hits, misses, maxsize, currsize):
        return tuple.__new__(cls, (hits, misses, maxsize, currsize))
    hits = property(lambda self: self[0])
    misses = property(lambda self: self[1])
    maxsize = property(lambda self: self[2])
    currsize = property(lambda self: self[3])

    def __repr__(self):
        return "CacheInfo(hits=%r, misses=%r, maxsize=%r, currsize=%r)" % tuple(self)


def lru_cache(maxsize=128, typed=False):
    """Keep the last results of a function by its arguments."""
    if callable(maxsize):
        return _cached(maxsize, 128, False)
    if maxsize is not None and not isinstance(maxsize, int):
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    if maxsize is not None and maxsize < 0:
        maxsize = 0
    return lambda f: _cached(f, maxsize, typed)


def cache(f, /):
    """Keep all results of a function by its arguments."""
    return _cached(f, None, False)


def _cached(f, maxsize, typed):
    store = {}
    hits = misses = 0

    def wrapper(*args, **kw):
        nonlocal hits, misses
        key = args
        if kw:
            key = (args, tuple(kw.items()))
        if typed:
            key = (key, tuple([type(a) for a in args]), tuple([type(a) for a in kw.values()]))
        elif len(args) == 1 and not kw and type(args[0]) in (int, str):
            key = args[0]
        if key in store:
            hits += 1
            if maxsize is None:
                return store[key]
            store[key] = r = store.pop(key)
            return r
        r = f(*args, **kw)
        misses += 1
        if maxsize is not None and key not in store and len(store) >= maxsize:
            if maxsize == 0:
                return r
            del store[next(iter(store))]
        store[key] = r
        return r

    def cache_info():
        """Hits, misses, and size."""
        return _CacheInfo(hits, misses, maxsize, len(store))

    def cache_clear():
        """Forget all results."""
        nonlocal hits, misses
        hits = misses = 0
        store.clear()

    wrapper.cache_info = cache_info
    wrapper.cache_clear = cache_clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return update_wrapper(wrapper, f)


class cached_property:
    """A property that is computed once and kept in the object."""

    def __init__(self, func):
        self.func, self.attrname, self.__doc__ = func, None, func.__doc__

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name
        elif name != self.attrname:
            raise TypeError("Cannot assign the same cached_property to two different names (%r and %r)." % (self.attrname, name))

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        v = self.func(obj)
        obj.__setattr__(self.attrname, v) if hasattr(type(obj), "__slots__") else object.__setattr__(obj, self.attrname, v)
        return v


def _not(v):
    return v if v is NotImplemented else not v


_ordering = {
    "__lt__": {
        "__gt__": lambda a, b: _both(type(a).__lt__(a, b), lambda r: not r and a != b),
        "__le__": lambda a, b: _both(type(a).__lt__(a, b), lambda r: r or a == b),
        "__ge__": lambda a, b: _not(type(a).__lt__(a, b)),
    },
    "__le__": {
        "__ge__": lambda a, b: _both(type(a).__le__(a, b), lambda r: not r or a == b),
        "__lt__": lambda a, b: _both(type(a).__le__(a, b), lambda r: r and a != b),
        "__gt__": lambda a, b: _not(type(a).__le__(a, b)),
    },
    "__gt__": {
        "__lt__": lambda a, b: _both(type(a).__gt__(a, b), lambda r: not (r or a == b)),
        "__ge__": lambda a, b: _both(type(a).__gt__(a, b), lambda r: r or a == b),
        "__le__": lambda a, b: _not(type(a).__gt__(a, b)),
    },
    "__ge__": {
        "__le__": lambda a, b: _both(type(a).__ge__(a, b), lambda r: not r or a == b),
        "__gt__": lambda a, b: _both(type(a).__ge__(a, b), lambda r: r and a != b),
        "__lt__": lambda a, b: _not(type(a).__ge__(a, b)),
    },
}


def _both(r, then):
    return r if r is NotImplemented else then(r)


def total_ordering(cls):
    """Add the comparisons that follow from == and one of <, <=, >, >=."""
    have = set()
    for k in cls.__mro__:
        if k is not object:
            have.update([n for n in _ordering if n in k.__dict__])
    if not have:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    root = max(have)
    for name, f in _ordering[root].items():
        if name not in have:
            setattr(cls, name, f)
    return cls


def cmp_to_key(mycmp):
    """Make a sort key of a function that compares two values."""
    class K:
        __slots__ = ("obj",)
        def __init__(self, obj): self.obj = obj
        def __lt__(self, other): return mycmp(self.obj, other.obj) < 0
        def __gt__(self, other): return mycmp(self.obj, other.obj) > 0
        def __eq__(self, other): return mycmp(self.obj, other.obj) == 0
        def __le__(self, other): return mycmp(self.obj, other.obj) <= 0
        def __ge__(self, other): return mycmp(self.obj, other.obj) >= 0
        __hash__ = None
    return K


def singledispatch(func):
    """A function with variants by the class of its first argument."""
    registry = {object: func}

    def dispatch(cls):
        for k in cls.__mro__:
            if k in registry:
                return registry[k]
        for k, f in registry.items():
            if k is not object and issubclass(cls, k):
                return f
        return registry[object]

    def register(cls, f=None):
        if f is None:
            if isinstance(cls, type):
                return lambda f: register(cls, f)
            notes = getattr(cls, "__annotations__", {})
            if not notes:
                raise TypeError(f"Invalid first argument to `register()`: {cls!r}. Use either `@register(some_class)` or plain `@register` on an annotated function.")
            f = cls
            cls = next(iter(notes.values()))
        for k in getattr(cls, "__args__", (cls,)):
            if not isinstance(k, type):
                raise TypeError(f"Invalid annotation for 'arg'. {k!r} is not a class.")
            registry[k] = f
        return f

    def wrapper(*args, **kw):
        if not args:
            raise TypeError(f"{func.__name__} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **kw)

    wrapper.register, wrapper.dispatch, wrapper.registry = register, dispatch, registry
    return update_wrapper(wrapper, func)


class singledispatchmethod:
    """A method with variants by the class of its first argument."""

    def __init__(self, func):
        self.dispatcher, self.func = singledispatch(func), func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, method)

    def __get__(self, obj, owner=None):
        def method(*args, **kw):
            f = self.dispatcher.dispatch(type(args[0]))
            return f(obj, *args, **kw) if obj is not None else f(*args, **kw)
        return method
