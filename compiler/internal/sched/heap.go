package sched

import "slices"

// heap is a binary heap of keys, largest first. A key is a priority in the high
// and the complement of an instruction index in the low 32 bits: at equal
// priority the earlier instruction comes first.
type heap []uint64

func makeKey(priority, index int32) uint64 {
	return uint64(uint32(priority))<<32 | uint64(^uint32(index))
}

func keyIndex(k uint64) int32 { return int32(^uint32(k)) }

func keyPriority(k uint64) int32 { return int32(k >> 32) }

func (h *heap) push(k uint64) {
	s := append(*h, k)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] >= k {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = k
	*h = s
}

func (h *heap) pop() {
	s := *h
	n := len(s) - 1
	s[0] = s[n]
	*h = s[:n]
	if n > 0 {
		s[:n].sink(0)
	}
}

// sink moves the key at i down to where it belongs.
func (h heap) sink(i int) {
	k := h[i]
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1] > h[down] {
			down++
		}
		if h[down] <= k {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = k
}

// keep leaves only the instructions in the heap for which alive holds, and room for as many more.
func (h *heap) keep(alive func(index int32) bool) {
	const least = 64
	kept := (*h)[:0]
	for _, k := range *h {
		if alive(keyIndex(k)) {
			kept = append(kept, k)
		}
	}
	for i := len(kept)/2 - 1; i >= 0; i-- {
		kept.sink(i)
	}
	*h = slices.Grow(kept, max(least, len(kept)))
}

// queue has what was pushed first in front.
type queue struct {
	list  []int32
	taken int // of those in list
}

func (q *queue) len() int     { return len(q.list) - q.taken }
func (q *queue) first() int32 { return q.list[q.taken] }
func (q *queue) pop()         { q.taken++ }
func (q *queue) clear()       { q.list, q.taken = q.list[:0], 0 }

// push appends to the queue, which takes the place of what was taken before it grows.
func (q *queue) push(i int32) {
	if len(q.list) == cap(q.list) && q.taken > len(q.list)/2 {
		q.list, q.taken = append(q.list[:0], q.list[q.taken:]...), 0
	}
	q.list = append(q.list, i)
}
