"""Context managers."""

from functools import wraps as _wraps


class AbstractContextManager:
    def __class_getitem__(cls, t): return cls
    def __enter__(self): return self
    def __exit__(self, kind, exc, tb): return None


class ContextDecorator:
    """A context manager that can also decorate functions."""
    def _recreate(self): return self

    def __call__(self, f):
        @_wraps(f)
        def inner(*args, **kw):
            with self._recreate():
                return f(*args, **kw)
        return inner


class _GeneratorContext(ContextDecorator):
    def __init__(self, f, args, kw):
        self._f, self._args, self._kw = f, args, kw
        self._gen = f(*args, **kw)

    def _recreate(self): return _GeneratorContext(self._f, self._args, self._kw)

    def __enter__(self):
        try:
            return next(self._gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, exc, tb):
        if kind is None:
            try:
                next(self._gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self._gen.throw(exc)
        except StopIteration as e:
            return e is not exc
        except BaseException as e:
            if e is exc or isinstance(exc, StopIteration) and e.__cause__ is exc:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(f):
    """Make a context manager of a generator that yields once."""
    @_wraps(f)
    def helper(*args, **kw):
        return _GeneratorContext(f, args, kw)
    return helper


class closing:
    """Close something at the end of a block."""
    def __init__(self, thing): self.thing = thing
    def __enter__(self): return self.thing
    def __exit__(self, *exc): self.thing.close()


class nullcontext:
    """A context manager that does nothing."""
    def __init__(self, enter_result=None): self.enter_result = enter_result
    def __enter__(self): return self.enter_result
    def __exit__(self, *exc): pass


class suppress:
    """Pass over exceptions of some classes."""
    def __init__(self, *exceptions): self._exceptions = exceptions
    def __enter__(self): pass
    def __exit__(self, kind, exc, tb): return kind is not None and issubclass(kind, self._exceptions)


class ExitStack:
    """Several context managers and functions, left in the reverse order."""
    def __init__(self): self._exits = []
    def __enter__(self): return self

    def enter_context(self, cm):
        v = cm.__enter__()
        self._exits.append(cm.__exit__)
        return v

    def push(self, exit):
        self._exits.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, f, /, *args, **kw):
        def exit(kind, exc, tb): f(*args, **kw)
        self._exits.append(exit)
        return f

    def pop_all(self):
        other = ExitStack()
        other._exits, self._exits = self._exits, []
        return other

    def close(self): self.__exit__(None, None, None)

    def __exit__(self, kind, exc, tb):
        first = exc
        while self._exits:
            try:
                if self._exits.pop()(type(exc) if exc is not None else None, exc, None):
                    exc = None
            except BaseException as e:
                exc = e
        if exc is not None and exc is not first:
            raise exc
        return first is not None and exc is None
