package graph

import "slices"

// A list grows without being copied: its elements lie in chunks.
type list[T any] struct {
	chunks [][]T // all full but the last
}

// Elements of a chunk.
const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
)

func (l *list[T]) len() int {
	if n := len(l.chunks); n > 0 {
		return (n-1)<<chunkBits + len(l.chunks[n-1])
	}
	return 0
}

func (l *list[T]) at(i uint64) *T { return &l.chunks[i>>chunkBits][i%chunkSize] }

// add appends an element and returns its index.
func (l *list[T]) add(v T) uint64 {
	last := len(l.chunks) - 1
	switch {
	case last < 0:
		l.chunks, last = append(l.chunks, nil), 0
	case len(l.chunks[last]) == chunkSize:
		l.chunks, last = append(l.chunks, make([]T, 0, chunkSize)), last+1
	}
	l.chunks[last] = append(l.chunks[last], v)
	return uint64(last)<<chunkBits + uint64(len(l.chunks[last])-1)
}

// share returns a list of the same elements. What is added to one of them is not in the other.
func (l *list[T]) share() list[T] {
	chunks := slices.Clone(l.chunks)
	if n := len(chunks); n > 0 {
		chunks[n-1] = slices.Clip(chunks[n-1])
	}
	return list[T]{chunks}
}
