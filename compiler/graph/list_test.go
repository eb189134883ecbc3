package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestList: indices go on over chunks, and elements stay where they are.
func TestList(t *testing.T) {
	var l list[int]
	const n = 3*chunkSize + 5
	var first *int
	for i := range n {
		require.Equal(t, i, l.len())
		require.EqualValues(t, i, l.add(i))
		if i == chunkSize { // the first chunk is full
			first = l.at(0)
		}
	}
	require.Same(t, first, l.at(0))
	for i := range n {
		require.Equal(t, i, *l.at(uint64(i)))
	}
}

// TestSharedList: what is added to a list or to one that shares its elements is not in the other.
func TestSharedList(t *testing.T) {
	for _, n := range []int{0, 1, 5, chunkSize - 1, chunkSize, chunkSize + 1, 2*chunkSize + 3} {
		var l list[int]
		for i := range n {
			l.add(i)
		}
		shared := l.share()
		for i := range 2 * chunkSize {
			l.add(1000 + i)
			shared.add(5000 + i)
		}
		require.Equal(t, n+2*chunkSize, l.len())
		require.Equal(t, n+2*chunkSize, shared.len())
		for i := range n {
			require.Equal(t, i, *l.at(uint64(i)))
			require.Equal(t, i, *shared.at(uint64(i)))
		}
		for i := range 2 * chunkSize {
			require.Equal(t, 1000+i, *l.at(uint64(n + i)))
			require.Equal(t, 5000+i, *shared.at(uint64(n + i)))
		}
	}
}

// TestSlot: a slot keeps the ID of every node that a graph may have, and is never empty.
func TestSlot(t *testing.T) {
	for _, id := range []ID{0, 1, MaxNodes/2 - 1, MaxNodes - 1} {
		for _, hash := range []uint32{0, 1<<idBits - 1, 1 << idBits, 1<<32 - 1} {
			slot := makeSlot(hash, id)
			require.NotZero(t, slot)
			require.Equal(t, id, slotID(slot))
			require.True(t, mayBe(slot, hash))
			require.False(t, mayBe(slot, hash^1<<31))
		}
	}
}
