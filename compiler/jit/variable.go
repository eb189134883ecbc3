package jit

import (
	"encoding/binary"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
)

// variable is an argument or a result of a program.
type variable struct {
	*param
	form  form
	shape graph.Shape
	span  device.Span // its part of the data block; none if the program does not need it
}

func (v *variable) in(memory []byte) []byte { return memory[v.span.Offset:][:v.span.Length] }

// form is what is seen to first, since most variables are one of the first two.
type form uint8

const (
	number form = iota
	row         // a slice of numbers
	other
)

func newVariable(q *param, s graph.Shape) variable {
	v := variable{param: q, shape: s, form: other}
	switch {
	case len(q.axes) == 0:
		v.form = number
	case len(q.axes) == 1 && q.axes[0].slice:
		v.form = row
	}
	return v
}

// put stores an argument in a data block. It reports false if its shape is another.
func (v *variable) put(memory []byte, from unsafe.Pointer) bool {
	to := v.in(memory)
	switch v.form {
	case number:
		if len(to) > 0 {
			putNumber(v.dtype, to, from)
		}
		return true
	case row:
		s := (*slice)(from)
		if s.len != v.shape[0] {
			return false
		}
		if len(to) > 0 {
			store(v.dtype, to, s.data)
		}
		return true
	}
	if !v.fits(from, v.shape, 0) {
		return false
	}
	if len(to) > 0 {
		v.layout.put(to, from, v.shape, 0)
	}
	return true
}

// get takes a result out of a data block.
func (v *variable) get(to unsafe.Pointer, memory []byte) {
	from := v.in(memory)
	if v.form == number {
		getNumber(v.dtype, to, from)
		return
	}
	v.layout.get(to, v.shape, 0, from)
}

func putNumber(t graph.DType, to []byte, from unsafe.Pointer) {
	switch t {
	case graph.F64:
		binary.LittleEndian.PutUint64(to, graph.Canonical(t, *(*uint64)(from)))
	case graph.Bool:
		binary.LittleEndian.PutUint32(to, uint32(*(*uint8)(from)))
	default:
		binary.LittleEndian.PutUint32(to, uint32(graph.Canonical(t, uint64(*(*uint32)(from)))))
	}
}

func getNumber(t graph.DType, to unsafe.Pointer, from []byte) {
	switch t {
	case graph.F64:
		*(*uint64)(to) = graph.Canonical(t, binary.LittleEndian.Uint64(from))
	case graph.Bool:
		*(*bool)(to) = binary.LittleEndian.Uint32(from) != 0
	default:
		*(*uint32)(to) = uint32(graph.Canonical(t, uint64(binary.LittleEndian.Uint32(from))))
	}
}
