"""Iterators from iterators."""


class _Iterator:
    """An iterator over what a generator yields, with a name of its own."""
    def __init__(self, it): self._it = it
    def __iter__(self): return self
    def __next__(self): return next(self._it)


class count(_Iterator):
    """start, start + step, start + 2 * step, ..."""

    def __init__(self, start=0, step=1):
        if not hasattr(start, "__add__") and not isinstance(start, (int, float)):
            raise TypeError("a number is required")
        self._next, self._step = start, step

    def __next__(self):
        v = self._next
        self._next = v + self._step
        return v

    def __repr__(self):
        return f"count({self._next!r})" if self._step == 1 else f"count({self._next!r}, {self._step!r})"


class repeat(_Iterator):
    """The same value, again and again or so many times."""

    def __init__(self, object, times=None):
        self._v, self._n = object, None if times is None else max(times, 0)

    def __next__(self):
        if self._n is not None:
            if self._n == 0:
                raise StopIteration
            self._n -= 1
        return self._v

    def __len__(self):
        if self._n is None:
            raise TypeError("len() of unsized object")
        return self._n

    def __length_hint__(self): return self._n

    def __bool__(self): return True

    def __repr__(self):
        return f"repeat({self._v!r})" if self._n is None else f"repeat({self._v!r}, {self._n})"


class cycle(_Iterator):
    """The elements of an iterable, again and again."""

    def __init__(self, iterable, /):
        def run(it):
            saved = []
            for x in it:
                saved.append(x)
                yield x
            while saved:
                yield from saved
        super().__init__(run(iter(iterable)))


class chain(_Iterator):
    """The elements of several iterables, one after the other."""

    def __init__(self, *iterables):
        def run():
            for it in iterables:
                yield from it
        super().__init__(run())

    @classmethod
    def from_iterable(cls, iterables, /):
        def run(its):
            for it in its:
                yield from it
        c = cls()
        c._it = run(iter(iterables))
        return c


class accumulate(_Iterator):
    """Running sums, or results of another function of two arguments."""

    def __init__(self, iterable, func=None, *, initial=None):
        def run(it):
            total = initial
            if initial is None:
                for total in it:
                    break
                else:
                    return
            yield total
            for x in it:
                total = total + x if func is None else func(total, x)
                yield total
        super().__init__(run(iter(iterable)))


class batched(_Iterator):
    """Tuples of n elements, the last one shorter."""

    def __init__(self, iterable, n):
        if n < 1:
            raise ValueError("n must be at least one")
        def run(it):
            while batch := tuple(islice(it, n)):
                yield batch
        super().__init__(run(iter(iterable)))


class compress(_Iterator):
    """The elements whose selector is true."""

    def __init__(self, data, selectors):
        super().__init__(x for x, s in zip(data, selectors) if s)


class dropwhile(_Iterator):
    """The elements from the first one for which predicate is false."""

    def __init__(self, predicate, iterable, /):
        def run(it):
            for x in it:
                if not predicate(x):
                    yield x
                    break
            yield from it
        super().__init__(run(iter(iterable)))


class takewhile(_Iterator):
    """The elements up to the first one for which predicate is false."""

    def __init__(self, predicate, iterable, /):
        def run(it):
            for x in it:
                if not predicate(x):
                    return
                yield x
        super().__init__(run(iter(iterable)))


class filterfalse(_Iterator):
    """The elements for which predicate is false."""

    def __init__(self, predicate, iterable, /):
        it = iter(iterable)
        super().__init__((x for x in it if not x) if predicate is None else (x for x in it if not predicate(x)))


class groupby(_Iterator):
    """Pairs of a key and the elements in a row that have it."""

    def __init__(self, iterable, key=None):
        self._it, self._key = iter(iterable), key
        self._have, self._done = False, False
        self._group = None

    def _advance(self):
        for v in self._it:
            self._value = v
            self._current = v if self._key is None else self._key(v)
            self._have = True
            return True
        self._have, self._done = False, True
        return False

    def _elements(self, group, key):
        while self._group is group:
            yield self._value
            if not self._advance() or self._current != key:
                return

    def __next__(self):
        if not self._have and not self._done:
            self._advance()
        elif self._have and self._group is not None:
            key = self._group[0]
            while self._have and self._current == key:
                self._advance()
        if not self._have:
            self._group = None
            raise StopIteration
        self._group = [self._current]
        return self._current, self._elements(self._group, self._current)


class islice(_Iterator):
    """Some of the elements, as by a slice."""

    def __init__(self, iterable, *args):
        if not 1 <= len(args) <= 3:
            raise TypeError(f"islice expected at least 2 arguments, got {len(args) + 1}" if not args else f"islice expected at most 4 arguments, got {len(args) + 1}")
        s = slice(*args)
        start, stop, step = s.start, s.stop, s.step
        for v in (start, stop):
            if v is not None and (not isinstance(v, int) or v < 0):
                if len(args) == 1:
                    raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
                raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
        if step is not None and (not isinstance(step, int) or step < 1):
            raise ValueError("Step for islice() must be a positive integer or None.")
        start, step = start or 0, step or 1

        def run(it):
            if stop is not None and stop <= 0:
                return
            at = 0
            wanted = start
            while stop is None or wanted < stop:
                for x in it:
                    break
                else:
                    return
                at += 1
                if at > wanted:
                    yield x
                    wanted += step
            while at < stop and at < start:
                if next(it, _end) is _end:
                    return
                at += 1
            while at < stop:
                if next(it, _end) is _end:
                    return
                at += 1
        super().__init__(run(iter(iterable)))


_end = object()


class pairwise(_Iterator):
    """Pairs of neighbours."""

    def __init__(self, iterable, /):
        def run(it):
            for a in it:
                break
            else:
                return
            for b in it:
                yield a, b
                a = b
        super().__init__(run(iter(iterable)))


class starmap(_Iterator):
    """The results of a function for tuples of arguments."""

    def __init__(self, function, iterable, /):
        it = iter(iterable)
        super().__init__(function(*args) for args in it)


class zip_longest(_Iterator):
    """zip up to the longest iterable."""

    def __init__(self, *iterables, fillvalue=None):
        def run(its):
            left = len(its)
            while left:
                row = []
                for i, it in enumerate(its):
                    v = fillvalue if it is None else next(it, _end)
                    if v is _end:
                        its[i] = None
                        left -= 1
                        if not left:
                            return
                        v = fillvalue
                    row.append(v)
                yield tuple(row)
        super().__init__(run([iter(it) for it in iterables]))


class product(_Iterator):
    """Tuples of one element of each iterable, the last one changing first."""

    def __init__(self, *iterables, repeat=1):
        if repeat < 0:
            raise ValueError("repeat argument cannot be negative")
        pools = [tuple(it) for it in iterables] * repeat

        def run():
            n = len(pools)
            if not all(pools):
                return
            at = [0] * n
            row = [p[0] for p in pools]
            while True:
                yield tuple(row)
                for i in range(n - 1, -1, -1):
                    at[i] += 1
                    if at[i] < len(pools[i]):
                        row[i] = pools[i][at[i]]
                        break
                    at[i] = 0
                    row[i] = pools[i][0]
                else:
                    return
        super().__init__(run())


class permutations(_Iterator):
    """All orders of r elements."""

    def __init__(self, iterable, r=None):
        pool = tuple(iterable)
        r = len(pool) if r is None else r
        if r < 0:
            raise ValueError("r must be non-negative")

        def run(taken, left):
            if len(taken) == r:
                yield tuple(taken)
                return
            for i, e in enumerate(left):
                yield from run(taken + [e], left[:i] + left[i + 1:])
        super().__init__(run([], list(pool)) if r <= len(pool) else iter(()))


class combinations(_Iterator):
    """All choices of r elements, in order."""

    def __init__(self, iterable, r):
        pool = tuple(iterable)
        if r < 0:
            raise ValueError("r must be non-negative")

        def run():
            n = len(pool)
            if r > n:
                return
            at = list(range(r))
            while True:
                yield tuple([pool[i] for i in at])
                for i in range(r - 1, -1, -1):
                    if at[i] != i + n - r:
                        break
                else:
                    return
                at[i] += 1
                for j in range(i + 1, r):
                    at[j] = at[j - 1] + 1
        super().__init__(run())


class combinations_with_replacement(_Iterator):
    """All choices of r elements, in order, each as often as wanted."""

    def __init__(self, iterable, r):
        pool = tuple(iterable)
        if r < 0:
            raise ValueError("r must be non-negative")

        def run():
            n = len(pool)
            if not n and r:
                return
            at = [0] * r
            while True:
                yield tuple([pool[i] for i in at])
                for i in range(r - 1, -1, -1):
                    if at[i] != n - 1:
                        break
                else:
                    return
                at[i:] = [at[i] + 1] * (r - i)
        super().__init__(run())


class _Tee(_Iterator):
    def __init__(self, it, queues, own):
        self._source, self._queues, self._own = it, queues, own

    def __next__(self):
        if not self._own:
            v = next(self._source)
            for q in self._queues:
                q.append(v)
        return self._own.popleft()


def tee(iterable, n=2, /):
    """Several iterators over the same elements."""
    if n < 0:
        raise ValueError("n must be >= 0")
    from collections import deque
    it = iter(iterable)
    queues = [deque() for _ in range(n)]
    return tuple([_Tee(it, queues, q) for q in queues])
