package model

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// AppendHead writes the head of an item in its shortest form.
func AppendHead(b []byte, major byte, v uint64) []byte {
	major <<= 5
	switch {
	case v < 24:
		return append(b, major|byte(v))
	case v < 1<<8:
		return append(b, major|24, byte(v))
	case v < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(v))
	case v < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, major|27), v)
}

// words are numbers of 32 or 64 bits in a byte string.
func words(numbers ...any) []byte {
	b := []byte{}
	for _, n := range numbers {
		b, _ = binary.Append(b, binary.LittleEndian, n)
	}
	return b
}

// A Map is pairs of key and value.
type Map []any

// Append writes an item: an integer, a string of bytes or text, a boolean, a Map, or []any for an array.
func Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case Map:
		b = AppendHead(b, 5, uint64(len(v)/2))
		for _, item := range v {
			b = Append(b, item)
		}
		return b
	case []byte:
		return append(AppendHead(b, 2, uint64(len(v))), v...)
	case string:
		return append(AppendHead(b, 3, uint64(len(v))), v...)
	case []any:
		b = AppendHead(b, 4, uint64(len(v)))
		for _, item := range v {
			b = Append(b, item)
		}
		return b
	case bool:
		if v {
			return append(b, 7<<5|21)
		}
		return append(b, 7<<5|20)
	}
	switch v := reflect.ValueOf(v); {
	case v.CanUint():
		return AppendHead(b, 0, v.Uint())
	case v.CanInt() && v.Int() >= 0:
		return AppendHead(b, 0, uint64(v.Int()))
	case v.CanInt():
		return AppendHead(b, 1, uint64(-1-v.Int()))
	}
	panic(fmt.Sprintf("%T", v))
}
