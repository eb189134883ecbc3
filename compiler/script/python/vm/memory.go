package vm

import (
	"fmt"
	"runtime"
	"runtime/metrics"
)

// memory is what a script takes of its limit. The heap is what counts, whoever allocated
// it: charges only say how soon it is worth another look. A look costs some microseconds
// and includes garbage; only when that passes the limit is garbage collected, since a
// collection of a full heap takes a second.
type memory struct {
	baseline int64 // bytes on the heap that were there before the script
	charged  int64 // bytes charged since the last look
	slack    int64 // bytes that may be charged before the next look
	floor    int64 // bytes on the heap below which no collection is worth its time
	refused  int64 // live bytes at the first refusal since memory was last within its limit
}

const (
	// looksPerHeap is how many looks at the limits pass between looks at the heap.
	looksPerHeap = 4
	// An eighth of the limit may pass between two collections, and a sixty-fourth
	// between two looks: the limit may be passed by so much.
	limitPerCollection, limitPerLook = 8, 64
	// Programs that go on after a MemoryError end once they have taken that part of the
	// limit on top of what they were refused for.
	limitPerRefusal = 8
)

func newMemory(limit int64) memory {
	return memory{baseline: heapBytes("/gc/heap/live:bytes"), slack: limit / limitPerLook}
}

// Charge accounts for n bytes about to be allocated.
func (t *Thread) Charge(n int64) error {
	if n > t.opts.Limits.Memory {
		return t.outOfMemory()
	}
	if t.memory.charged += n; t.memory.charged <= t.memory.slack {
		return nil
	}
	return t.lookAtHeap(n)
}

// lookAtHeap compares the heap with the limit, with n more bytes about to be allocated.
func (t *Thread) lookAtHeap(n int64) error {
	m, limit := &t.memory, t.opts.Limits.Memory
	m.charged = n
	taken := heapBytes("/memory/classes/heap/objects:bytes") - m.baseline
	if taken+n <= limit {
		m.refused = 0
	}
	if taken+n <= max(limit, m.floor) {
		m.slack = max((limit-taken)/4, limit/limitPerLook)
		return nil
	}
	runtime.GC()
	live := heapBytes("/gc/heap/live:bytes")
	if live-min(m.baseline, live)+n > limit && t.texts.forget() {
		runtime.GC()
		live = heapBytes("/gc/heap/live:bytes")
	}
	m.baseline = min(m.baseline, live) // what was garbage at the start is gone
	live -= m.baseline
	m.slack, m.floor = limit/limitPerLook, min(live, limit)+limit/limitPerCollection
	if live+n <= limit {
		m.refused = 0
		return nil
	}
	m.charged = 0
	if m.refused == 0 {
		m.refused = live
	}
	if live > max(limit, m.refused+limit/limitPerRefusal) {
		return &LimitError{Limit: "memory", Msg: fmt.Sprintf("the script went on after it was refused more than %d MB of memory", limit>>20),
			hint: "let go of what takes the memory before going on after a MemoryError"}
	}
	return t.outOfMemory()
}

func (t *Thread) outOfMemory() error {
	return WithHint(Raise(MemoryError, "the script needs more than %d MB of memory", t.opts.Limits.Memory>>20),
		"look for a list, dict or string that grows without end, or use less at a time")
}

// heapBytes reads a figure of the heap of the whole process: what the last collection found
// in use, or all objects, garbage that was not collected yet included.
func heapBytes(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
