package vm

import (
	"math/big"
	"slices"
)

// byteOrder reports whether "little" is given; the default is "big".
func byteOrder(v Value) (little bool, err error) {
	switch v {
	case nil, "big":
		return false, nil
	case "little":
		return true, nil
	}
	return false, ValueErrorf("byteorder must be either 'little' or 'big'")
}

var toBytesSignature = NewSignature("to_bytes", "length?", "byteorder?", "*", "signed?")

// intToBytes is int.to_bytes.
func intToBytes(t *Thread, self Value, a Args) (Value, error) {
	vs, err := toBytesSignature.Bind(a)
	if err != nil {
		return nil, err
	}
	n := int64(1)
	if vs[0] != nil {
		if n, err = wantInt(vs[0]); err != nil {
			return nil, err
		}
	}
	little, err := byteOrder(vs[1])
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, ValueErrorf("length argument must be non-negative")
	}
	b := toBig(self)
	signed := vs[2] == true
	bits := b.BitLen()
	if signed {
		if b.Sign() < 0 {
			bits = new(big.Int).Not(b).BitLen()
		}
		bits++
	}
	switch {
	case b.Sign() < 0 && !signed:
		return nil, Raise(OverflowError, "can't convert negative int to unsigned")
	case int64(bits) > n*8 && !(n == 0 && b.Sign() == 0):
		return nil, Raise(OverflowError, "int too big to convert")
	}
	if err := t.Charge(n); err != nil {
		return nil, err
	}
	if b.Sign() < 0 {
		b = new(big.Int).Add(b, new(big.Int).Lsh(big.NewInt(1), uint(n*8)))
	}
	out := b.FillBytes(make([]byte, n))
	if little {
		slices.Reverse(out)
	}
	return Bytes(out), nil
}

var fromBytesSignature = NewSignature("from_bytes", "bytes", "byteorder?", "*", "signed?")

// intFromBytes is int.from_bytes.
func intFromBytes(t *Thread, a Args) (Value, error) {
	vs, err := fromBytesSignature.Bind(a)
	if err != nil {
		return nil, err
	}
	little, err := byteOrder(vs[1])
	if err != nil {
		return nil, err
	}
	var raw []byte
	if s, ok := Unwrap(vs[0]).(Bytes); ok {
		raw = []byte(s)
	} else {
		elems, err := t.Collect(vs[0])
		if err != nil {
			return nil, err
		}
		for _, e := range elems {
			i, ok := AsInt(e)
			if !ok || i < 0 || i > 255 {
				return nil, ValueErrorf("bytes must be in range(0, 256)")
			}
			raw = append(raw, byte(i))
		}
	}
	if err := t.checkBits(int64(len(raw)) * 8); err != nil {
		return nil, err
	}
	if little {
		slices.Reverse(raw)
	}
	b := new(big.Int).SetBytes(raw)
	if vs[2] == true && len(raw) > 0 && raw[0] >= 0x80 {
		b.Sub(b, new(big.Int).Lsh(big.NewInt(1), uint(len(raw)*8)))
	}
	return NewBig(b), nil
}
