"""Heaps: lists whose first element is the smallest."""


def heappush(heap, item):
    heap.append(item)
    _down(heap, 0, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if heap:
        last, heap[0] = heap[0], last
        _up(heap, 0)
    return last


def heapreplace(heap, item):
    top = heap[0]
    heap[0] = item
    _up(heap, 0)
    return top


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _up(heap, 0)
    return item


def heapify(x):
    for i in range(len(x) // 2 - 1, -1, -1):
        _up(x, i)


def _down(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _up(heap, at):
    end, start, item = len(heap), at, heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _down(heap, start, at)


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
