package main

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/stencils"
)

// softRow is what becomes of a row that works on floats on cores without float
// registers: floats are bits in integer registers.
type softRow struct {
	text    string // "": not a stencil there but a kernel, or not there at all
	service stencils.Service
}

// soften is the row as it is on an architecture without float registers, without
// hardware division, or as it was. ok is false where it is no stencil.
func (r row) soften(a *arch) (s row, service stencils.Service, ok bool) {
	var soft *softRow
	if a.SoftFloat {
		soft = r.softFloat
	}
	if a.SoftDivision && r.softDivision != nil {
		soft = r.softDivision
	}
	if soft == nil {
		return r, stencils.NoService, true
	}
	if soft.text == "" {
		return r, stencils.NoService, false
	}
	r.text = soft.text
	integers := strings.NewReplacer("F32", "I32", "f32", "i32")
	r.far, r.mid = integers.Replace(r.far), integers.Replace(r.mid)
	r.pattern = strings.ReplaceAll(r.pattern, "F", "I")
	if soft.service != stencils.NoService {
		r.traits = offset
	}
	return r, soft.service, true
}

// kernelRows are the kernels of an architecture.
func (a *arch) kernelRows(t *table) []kernelRow {
	list := slices.Clone(t.kernels)
	if !a.Doubles {
		list = slices.DeleteFunc(list, func(row kernelRow) bool { return row.dtype == "f64" })
	}
	if a.SoftFloat {
		list = append(list, t.softKernels...)
	}
	list = slices.DeleteFunc(list, func(row kernelRow) bool {
		_, ok := a.extension(row.needs)
		return !ok
	})
	for i := range list {
		switch {
		case list[i].results < 2:
		case a.SoftFloat:
			list[i].file = "f32int/" + list[i].op + "_bits.c"
		case a.OneResult:
			list[i].file = strings.TrimSuffix(list[i].file, ".c") + "_pair.c"
		}
	}
	return list
}
