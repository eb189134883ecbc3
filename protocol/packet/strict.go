package packet

import (
	"errors"
	"fmt"
	"math"
)

// The CBOR major types that a body may hold (RFC 8949, section 3.1).
const (
	majorUint   = 0
	majorNint   = 1
	majorBytes  = 2
	majorText   = 3
	majorArray  = 4
	majorMap    = 5
	majorTag    = 6
	majorSimple = 7
)

var (
	errShort    = errors.New("cbor ends early")
	errTrailing = errors.New("bytes after the map")
	errNotMap   = errors.New("body is not a map")
	errMinimal  = errors.New("cbor head is not the shortest")
	errKeys     = errors.New("map keys are not ascending unsigned integers below 2^32 - 1")
	errDepth    = errors.New("cbor is nested too deeply")
	errKind     = errors.New("cbor item of a kind that messages do not use")
)

// scanBody holds a body to the encoding rules of SPEC.md, which are stricter
// than the decoder: one map, definite lengths, shortest heads, keys that are
// unsigned, below 2^32 - 1 and strictly ascending, depth at most MaxDepth, no tags, floats, or
// simple values but false and true. It returns the keys of the outer map below
// 64 as a bit set, and those of them that hold a byte string.
func scanBody(body []byte) (keys, byteKeys uint64, err error) {
	major, n, rest, err := readHead(body)
	if err != nil {
		return 0, 0, err
	}
	if major != majorMap {
		return 0, 0, errNotMap
	}
	rest, err = scanMap(rest, n, 1, func(k uint64, value []byte) {
		if k >= 64 {
			return
		}
		keys |= 1 << k
		if len(value) > 0 && value[0]>>5 == majorBytes {
			byteKeys |= 1 << k
		}
	})
	if err != nil {
		return 0, 0, err
	}
	if len(rest) != 0 {
		return 0, 0, errTrailing
	}
	return keys, byteKeys, nil
}

func scanMap(b []byte, pairs uint64, depth int, visit func(key uint64, value []byte)) ([]byte, error) {
	var last uint64
	for i := range pairs {
		major, k, rest, err := readHead(b)
		if err != nil {
			return nil, err
		}
		if major != majorUint || k >= math.MaxUint32 || i > 0 && k <= last {
			return nil, errKeys
		}
		last = k
		visit(k, rest)
		if b, err = scanItem(rest, depth); err != nil {
			return nil, fmt.Errorf("key %d: %w", k, err)
		}
	}
	return b, nil
}

// scanItem passes over one item inside a container at the given depth.
func scanItem(b []byte, depth int) ([]byte, error) {
	major, n, rest, err := readHead(b)
	if err != nil {
		return nil, err
	}
	switch major {
	case majorUint, majorNint:
		return rest, nil
	case majorBytes, majorText:
		if n > uint64(len(rest)) {
			return nil, errShort
		}
		return rest[n:], nil
	case majorSimple:
		if n != 20 && n != 21 { // false, true
			return nil, errKind
		}
		return rest, nil
	case majorTag:
		return nil, errKind
	}
	if depth == MaxDepth {
		return nil, errDepth
	}
	if major == majorMap {
		return scanMap(rest, n, depth+1, func(uint64, []byte) {})
	}
	for range n {
		if rest, err = scanItem(rest, depth+1); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// readHead reads an initial byte and its argument. Simple values and floats
// with an argument in further bytes are none that a body may hold.
func readHead(b []byte) (major byte, n uint64, rest []byte, err error) {
	if len(b) == 0 {
		return 0, 0, nil, errShort
	}
	major, low := b[0]>>5, b[0]&31
	if low < 24 {
		return major, uint64(low), b[1:], nil
	}
	if low > 27 || major == majorSimple {
		return 0, 0, nil, errKind // reserved, indefinite, float
	}
	size := 1 << (low - 24)
	if len(b) < 1+size {
		return 0, 0, nil, errShort
	}
	for _, c := range b[1 : 1+size] {
		n = n<<8 | uint64(c)
	}
	least := uint64(24)
	if size > 1 {
		least = 1 << (4 * size)
	}
	if n < least {
		return 0, 0, nil, errMinimal
	}
	return major, n, b[1+size:], nil
}
