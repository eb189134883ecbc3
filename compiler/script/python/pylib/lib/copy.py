"""Copies of values."""


class Error(Exception):
    pass


error = Error


def copy(x):
    """A copy whose parts are those of the original."""
    cls = type(x)
    hook = getattr(cls, "__copy__", None)
    if hook is not None:
        return hook(x)
    if cls in (list, dict, set):
        return x.copy()
    if not hasattr(x, "__dict__") or isinstance(x, type) or callable(x) and not hasattr(cls, "__call__"):
        return x
    return _rebuild(x, cls, lambda v: v)


def deepcopy(x, memo=None):
    """A copy whose parts are copied, too."""
    if memo is None:
        memo = {}
    cls = type(x)
    if cls in _atoms:
        return x
    known = memo.get(id(x), memo)
    if known is not memo:
        return known[0]
    hook = getattr(cls, "__deepcopy__", None)
    if hook is not None:
        y = hook(x, memo)
    elif cls is list:
        y = []
        memo[id(x)] = (y, x)
        for e in x:
            y.append(deepcopy(e, memo))
    elif cls is tuple:
        y = tuple([deepcopy(e, memo) for e in x])
        if all([a is b for a, b in zip(x, y)]):
            y = x
    elif cls is dict:
        y = {}
        memo[id(x)] = (y, x)
        for k, v in x.items():
            y[deepcopy(k, memo)] = deepcopy(v, memo)
    elif cls is set or cls is frozenset:
        y = cls([deepcopy(e, memo) for e in x])
    elif not hasattr(x, "__dict__") or isinstance(x, type) or callable(x) and not hasattr(cls, "__call__"):
        y = x
    else:
        return _rebuild(x, cls, lambda v: deepcopy(v, memo), memo)
    memo[id(x)] = (y, x)
    return y


_atoms = (type(None), bool, int, float, str, bytes, range, type, type(lambda: 0), type(len), type(...))


def _rebuild(x, cls, part, memo=None):
    if isinstance(x, BaseException):
        y = cls.__new__(cls, *part(x.args))
    elif isinstance(x, (int, float, str, bytes, tuple, frozenset)):
        for base in (int, float, str, bytes, tuple, frozenset):
            if isinstance(x, base):
                y = base.__new__(cls, tuple([part(e) for e in x]) if base is tuple else base(x))
    elif cls.__new__ is object.__new__ or not hasattr(cls, "__getnewargs__"):
        y = object.__new__(cls)
    if memo is not None:
        memo[id(x)] = (y, x)
    if isinstance(x, list):
        list.extend(y, [part(e) for e in list.__iter__(x)] if hasattr(list, "__iter__") else [part(e) for e in x])
    elif isinstance(x, dict):
        for k, v in dict.items(x):
            dict.update(y, {part(k): part(v)})
    elif isinstance(x, set):
        set.update(y, [part(e) for e in x])
    for k, v in x.__dict__.items():
        object.__setattr__(y, k, part(v))
    return y


def replace(obj, /, **changes):
    return type(obj).__replace__(obj, **changes)
