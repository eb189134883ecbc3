package sched

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
	k := s[n]
	s = s[:n]
	*h = s
	if n == 0 {
		return
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && s[down+1] > s[down] {
			down++
		}
		if s[down] <= k {
			break
		}
		s[i] = s[down]
		i = down
	}
	s[i] = k
}
