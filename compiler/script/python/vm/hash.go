package vm

import (
	"hash/maphash"
	"math"
	"math/big"
	"reflect"
)

var hashSeed = maphash.MakeSeed()

// hashModulus is the prime that CPython reduces numbers by on 64-bit machines.
const hashModulus = 1<<61 - 1

// Hash returns a hash that is equal for equal values, or a TypeError for
// values that can change.
func (t *Thread) Hash(v Value) (uint64, error) {
	switch v := v.(type) {
	case string:
		return maphash.String(hashSeed, v) >> 2, nil
	case Bytes:
		return maphash.String(hashSeed, string(v)) >> 2, nil
	case int64, bool:
		i, _ := AsInt(v)
		return intHash(i), nil
	case float64:
		return floatHash(v), nil
	case *big.Int:
		m := new(big.Int).Rem(v, big.NewInt(hashModulus))
		return intHash(m.Int64()), nil
	case *Tuple:
		return t.hashElems(v.Elems)
	case *Range:
		return t.hashElems([]Value{v.count, v.Start, v.Step})
	case *Set:
		if !v.Frozen {
			return 0, unhashable(v)
		}
		sum := uint64(len(v.dict.entries))
		for _, k := range v.dict.Keys() {
			h, err := t.Hash(k)
			if err != nil {
				return 0, err
			}
			sum += h * 0x9e3779b97f4a7c15 // independent of the order
		}
		return sum >> 2, nil
	case *List, *Dict, *Slice:
		return 0, unhashable(v)
	case *BoundMethod:
		return identityHash(v.Self) ^ identityHash(v.Func), nil
	case *Instance:
		return t.instanceHash(v)
	case Keyed:
		return maphash.Comparable(hashSeed, v.Key()) >> 2, nil
	case Hasher:
		return v.Hash(t)
	}
	return identityHash(v), nil
}

func unhashable(v Value) error { return TypeErrorf("unhashable type: '%s'", TypeName(v)) }

func (t *Thread) instanceHash(v *Instance) (uint64, error) {
	m := v.class.defines("__hash__")
	if m == nil || m == None {
		if m == None || v.class.defines("__eq__") != nil {
			return 0, unhashable(v)
		}
		if _, exc := v.native.(*excData); v.native != nil && !exc {
			return t.Hash(v.native)
		}
		return identityHash(v), nil
	}
	r, err := t.Call(m, v)
	if err != nil {
		return 0, err
	}
	b := toBig(r)
	if b == nil {
		return 0, TypeErrorf("__hash__ method should return an integer")
	}
	return t.Hash(NewBig(b))
}

func (t *Thread) hashElems(elems []Value) (uint64, error) {
	if err := t.enter(); err != nil {
		return 0, err
	}
	defer t.leave()
	h := uint64(0x345678) + uint64(len(elems))
	for _, e := range elems {
		x, err := t.Hash(e)
		if err != nil {
			return 0, err
		}
		h = (h ^ x) * 1000003
	}
	return h >> 2, nil
}

// intHash is CPython's: the value modulo a prime, with -2 in place of -1.
func intHash(i int64) uint64 {
	r := i % hashModulus
	if r == -1 {
		r = -2
	}
	return uint64(r)
}

// floatHash agrees with intHash on integral values.
func floatHash(f float64) uint64 {
	if f == math.Floor(f) && !math.IsInf(f, 0) {
		i, _ := big.NewFloat(f).Int(nil)
		return intHash(i.Rem(i, big.NewInt(hashModulus)).Int64())
	}
	if math.IsInf(f, 1) {
		return 314159
	}
	if math.IsInf(f, -1) {
		return uint64(math.MaxUint64 - 314158)
	}
	return math.Float64bits(f) * 0x9e3779b97f4a7c15 >> 2
}

// identityHash is the hash of the address of a value that is a pointer.
func identityHash(v Value) uint64 {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return uint64(r.Pointer())
	}
	return 0
}
