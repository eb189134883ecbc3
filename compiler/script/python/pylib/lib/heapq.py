"""Heaps: lists whose first element is the smallest."""


def heappush(heap, item):
    """Add an item."""
    heap.append(item)
    at = len(heap) - 1
    while at and item < heap[(at - 1) // 2]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


def heappop(heap):
    """Take the smallest item away."""
    end = heap.pop()
    return heapreplace(heap, end) if heap else end


def heapreplace(heap, item):
    """Take the smallest item away, then add one."""
    smallest = heap[0]
    _settle(heap, 0, item)
    return smallest


def heappushpop(heap, item):
    """Add an item, then take the smallest away."""
    return heapreplace(heap, item) if heap and heap[0] < item else item


def heapify(x):
    """Order a list as a heap."""
    for at in reversed(range(len(x) // 2)):
        _settle(x, at, x[at])


def _settle(heap, at, item):
    """Put an item at a place of which both branches are heaps, or below it."""
    while 2 * at + 1 < len(heap):
        branch = 2 * at + 1
        if branch + 1 < len(heap) and not heap[branch] < heap[branch + 1]:
            branch += 1
        if not heap[branch] < item:
            break
        heap[at] = heap[branch]
        at = branch
    heap[at] = item


def nlargest(n, iterable, key=None): return sorted(iterable, key=key, reverse=True)[:max(n, 0)]
def nsmallest(n, iterable, key=None): return sorted(iterable, key=key)[:max(n, 0)]


def merge(*iterables, key=None, reverse=False):
    rows = []
    for n, it in enumerate([iter(it) for it in iterables]):
        for v in it:
            rows.append([v if key is None else key(v), n, v, it])
            break
    while rows:
        best = rows[0]
        for r in rows[1:]:
            if (best[0] < r[0] if reverse else r[0] < best[0]):
                best = r
        yield best[2]
        for v in best[3]:
            best[0], best[2] = v if key is None else key(v), v
            break
        else:
            rows.remove(best)
