package live

import (
	"cmp"
	"fmt"
	"slices"
)

// An Arena says which place in live memory is whose.
type Arena struct {
	low, high uint32
	used      []Block // in order
}

// A Block is a place and its length, both multiples of 4.
type Block struct{ At, Length uint32 }

func (b Block) end() uint32 { return b.At + b.Length }

// NewArena gives out places from low to high.
func NewArena(low, high uint32) *Arena {
	return &Arena{low: (low + word - 1) / word * word, high: high / word * word}
}

// A RoomError says that live memory has no room for something.
type RoomError struct {
	What        string
	Needs, Have int // bytes
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%s needs %d bytes of the runner's live memory, which has %d left in one piece", e.What, e.Needs, e.Have)
}

// Hint says what to do next.
func (e *RoomError) Hint() string {
	return "ask for fewer variables or records at a time, end what else is under way, or take a board with more memory"
}

// Take gives out a place of so many bytes.
func (a *Arena) Take(what string, length int) (Block, error) {
	need := (length + word - 1) / word * word
	at, best := a.low, uint32(0)
	for i := 0; ; i++ {
		until := a.high
		if i < len(a.used) {
			until = a.used[i].At
		}
		if until >= at {
			if gap := until - at; need >= 0 && uint64(need) <= uint64(gap) {
				b := Block{at, uint32(need)}
				if need > 0 {
					a.used = slices.Insert(a.used, i, b)
				}
				return b, nil
			} else if gap > best {
				best = gap
			}
		}
		if i == len(a.used) {
			return Block{}, &RoomError{what, need, int(best)}
		}
		at = a.used[i].end()
	}
}

// Give takes places back; ones that are not taken, as the zero Block, are passed over.
func (a *Arena) Give(blocks ...Block) {
	for _, b := range blocks {
		i, found := slices.BinarySearchFunc(a.used, b.At, func(u Block, at uint32) int { return cmp.Compare(u.At, at) })
		if found && a.used[i] == b {
			a.used = slices.Delete(a.used, i, i+1)
		}
	}
}

// Reserve takes a place that is known, as far as it lies inside.
func (a *Arena) Reserve(b Block) {
	i, _ := slices.BinarySearchFunc(a.used, b.At, func(u Block, at uint32) int { return cmp.Compare(u.At, at) })
	if b.At >= a.low && b.end() <= a.high {
		a.used = slices.Insert(a.used, i, b)
	}
}

// Clone is an arena with the same places taken.
func (a *Arena) Clone() *Arena { return &Arena{a.low, a.high, slices.Clone(a.used)} }

// Largest is the greatest length that there is a place for.
func (a *Arena) Largest() int {
	at, best := a.low, 0
	for _, u := range a.used {
		best = max(best, int(u.At)-int(at))
		at = u.end()
	}
	return max(best, int(a.high)-int(at))
}
