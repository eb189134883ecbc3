package pylib

import (
	"crypto/rand"
	"crypto/sha512"
	"math"
	"math/big"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// twister is the generator MT19937 of Matsumoto and Nishimura.
type twister struct {
	class *vm.Class
	state [624]uint32
	next  int
}

func (g *twister) PyClass() *vm.Class { return g.class }

func (g *twister) start(s uint32) {
	g.state[0] = s
	for i := 1; i < len(g.state); i++ {
		g.state[i] = 1812433253*(g.state[i-1]^g.state[i-1]>>30) + uint32(i)
	}
	g.next = len(g.state)
}

// startArray seeds by an array of words.
func (g *twister) startArray(key []uint32) {
	const n = len(g.state)
	g.start(19650218)
	s := &g.state
	i, j := 1, 0
	for range max(n, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i == n {
			s[0], i = s[n-1], 1
		}
		if j++; j == len(key) {
			j = 0
		}
	}
	for range n - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		if i++; i == n {
			s[0], i = s[n-1], 1
		}
	}
	s[0] = 1 << 31
}

func (g *twister) word() uint32 {
	const n, m = 624, 397
	if g.next >= n {
		s := &g.state
		for i := range n {
			y := s[i]&(1<<31) | s[(i+1)%n]&(1<<31-1)
			s[i] = s[(i+m)%n] ^ y>>1 ^ -(y&1)&0x9908b0df
		}
		g.next = 0
	}
	y := g.state[g.next]
	g.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (g *twister) float() float64 {
	a, b := g.word()>>5, g.word()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// bits returns a number of k random bits.
func (g *twister) bits(k int) *big.Int {
	v := new(big.Int)
	for at := 0; at < k; at += 32 {
		w := g.word()
		if left := k - at; left < 32 {
			w >>= 32 - left
		}
		v.Or(v, new(big.Int).Lsh(new(big.Int).SetUint64(uint64(w)), uint(at)))
	}
	return v
}

// seed starts the sequence of a number, a text, or nothing: then of the system's randomness.
func (g *twister) seed(v vm.Value) {
	var b *big.Int
	switch x := vm.Unwrap(v).(type) {
	case int64:
		b = big.NewInt(x)
	case bool:
		b = new(big.Int)
		if x {
			b.SetInt64(1)
		}
	case *big.Int:
		b = new(big.Int).Set(x)
	case float64:
		b = new(big.Int).SetUint64(uint64(floatHash(x)))
	case string:
		b = textSeed([]byte(x))
	case vm.Bytes:
		b = textSeed([]byte(x))
	default:
		var fresh [64]byte
		rand.Read(fresh[:]) //nolint:errcheck // it never fails
		b = new(big.Int).SetBytes(fresh[:])
	}
	b.Abs(b)
	var key []uint32
	for mask := big.NewInt(math.MaxUint32); b.Sign() > 0; b.Rsh(b, 32) {
		key = append(key, uint32(new(big.Int).And(b, mask).Uint64()))
	}
	if key == nil {
		key = []uint32{0}
	}
	g.startArray(key)
}

func textSeed(s []byte) *big.Int {
	sum := sha512.Sum512(s)
	return new(big.Int).SetBytes(append(append([]byte(nil), s...), sum[:]...))
}

// floatHash is CPython's hash of a float: its value modulo 2**61 - 1.
func floatHash(f float64) int64 {
	switch {
	case math.IsInf(f, 1):
		return 314159
	case math.IsInf(f, -1):
		return -314159
	case math.IsNaN(f):
		return 0
	}
	const modulus = 1<<61 - 1
	m, e := math.Frexp(math.Abs(f))
	x := uint64(0)
	for m != 0 {
		x = x<<28&modulus | x>>(61-28)
		m *= 1 << 28
		e -= 28
		y := uint64(m)
		m -= float64(y)
		if x += y; x >= modulus {
			x -= modulus
		}
	}
	e = ((e % 61) + 61) % 61
	x = bits.RotateLeft64(x, 0)<<e&modulus | x>>(61-e)
	h := int64(x)
	if f < 0 {
		h = -h
	}
	if h == -1 {
		h = -2
	}
	return h
}

func (h *host) random(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_random")
	var class *vm.Class
	class = vm.NewClass("Generator", nil, func(*vm.Thread, vm.Args) (vm.Value, error) { return &twister{class: class}, nil })
	class.Define(twisterTable)
	m.Set("Generator", class)
	return m, nil
}

var twisterTable = []vm.Row{
	vm.Def("seed", twisterSeed, "a"),
	vm.Def("random", twisterRandom),
	vm.Def("getrandbits", twisterGetrandbits, "k", "/"),
	vm.Def("below", twisterBelow, "n"),
	vm.Def("getstate", twisterGetstate),
	vm.Def("setstate", twisterSetstate, "state"),
}

func twisterSeed(_ *vm.Thread, g *twister, vs []vm.Value) (vm.Value, error) {
	g.seed(vs[0])
	return vm.None, nil
}

func twisterRandom(_ *vm.Thread, g *twister, _ []vm.Value) (vm.Value, error) {
	return g.float(), nil
}

func twisterGetrandbits(t *vm.Thread, g *twister, vs []vm.Value) (vm.Value, error) {
	k, ok := vm.AsInt(vs[0])
	switch {
	case !ok:
		return nil, vm.TypeErrorf("'%s' object cannot be interpreted as an integer", vm.TypeName(vs[0]))
	case k < 0:
		return nil, vm.ValueErrorf("number of bits must be non-negative")
	case k > 1<<20:
		return nil, vm.Raise(vm.OverflowError, "more than %d random bits at once", 1<<20)
	}
	if err := t.Tick(int(k*k>>12) + 1); err != nil {
		return nil, err
	}
	return vm.NewBig(g.bits(int(k))), nil
}

func twisterBelow(t *vm.Thread, g *twister, vs []vm.Value) (vm.Value, error) {
	if n, ok := vm.AsInt(vs[0]); ok {
		if n <= 0 {
			return int64(0), nil
		}
		k := bits.Len64(uint64(n))
		for {
			r := g.word64(k)
			if r < uint64(n) {
				return vm.NewBig(new(big.Int).SetUint64(r)), nil
			}
		}
	}
	n, ok := vm.Unwrap(vs[0]).(*big.Int)
	if !ok || n.BitLen() > 1<<20 {
		return nil, vm.ValueErrorf("number of more than %d bits", 1<<20)
	}
	for {
		if err := t.Tick(n.BitLen()); err != nil {
			return nil, err
		}
		if r := g.bits(n.BitLen()); r.Cmp(n) < 0 {
			return vm.NewBig(r), nil
		}
	}
}

func twisterGetstate(_ *vm.Thread, g *twister, _ []vm.Value) (vm.Value, error) {
	state := make([]vm.Value, 0, len(g.state)+1)
	for _, w := range g.state {
		state = append(state, int64(w))
	}
	return vm.NewTuple(append(state, int64(g.next))...), nil
}

func twisterSetstate(_ *vm.Thread, g *twister, vs []vm.Value) (vm.Value, error) {
	state, ok := vs[0].(*vm.Tuple)
	if !ok {
		return nil, vm.TypeErrorf("state vector must be a tuple")
	}
	if len(state.Elems) != len(g.state)+1 {
		return nil, vm.ValueErrorf("state vector is the wrong size")
	}
	for i, e := range state.Elems {
		w, ok := vm.AsInt(e)
		if !ok || w < 0 || w > math.MaxUint32 || i == len(g.state) && w > int64(len(g.state)) {
			return nil, vm.ValueErrorf("invalid state")
		}
		if i < len(g.state) {
			g.state[i] = uint32(w)
		} else {
			g.next = int(w)
		}
	}
	return vm.None, nil
}

// word64 returns k random bits, 1 <= k <= 64.
func (g *twister) word64(k int) uint64 {
	lo := uint64(g.word())
	if k <= 32 {
		return lo >> (32 - k)
	}
	return lo | uint64(g.word()>>(64-k))<<32
}
