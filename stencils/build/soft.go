package main

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/stencils"
)

// softRow is what becomes of a row that works on floats on cores without float
// registers: floats are bits in integer registers.
type softRow struct {
	text    string // "": not a stencil there but a kernel
	service stencils.Service
}

// softRows, by op and dtypes of the row. Rows that are not listed work on integers.
var softRows = map[string]softRow{
	"mov f32": {text: "D = A"},
	"ld f32":  {text: "D = ld_i32(base, OFF)"},
	"st f32":  {text: "st_i32(base, OFF, A)"},
	"ldx f32": {text: "LDX_I32(D, A, OFF)"},
	"stx f32": {text: "STX_I32(A, B, OFF)"},

	"add f32": {"SERVICE2(D, A, B, OFF)", stencils.AddF32},
	"sub f32": {"SERVICE2(D, A, B, OFF)", stencils.SubF32},
	"mul f32": {"SERVICE2(D, A, B, OFF)", stencils.MulF32},
	"div f32": {"SERVICE2(D, A, B, OFF)", stencils.DivF32},
	"lt f32":  {"SERVICE2(D, A, B, OFF)", stencils.LtF32},
	"le f32":  {"SERVICE2(D, A, B, OFF)", stencils.LeF32},
	"gt f32":  {"SERVICE2(D, B, A, OFF)", stencils.LtF32},
	"ge f32":  {"SERVICE2(D, B, A, OFF)", stencils.LeF32},
	"eq f32":  {"SERVICE2(D, A, B, OFF)", stencils.EqF32},
	"ne f32":  {"SERVICE_NE(D, A, B, OFF)", stencils.EqF32},

	"to_f32 i32 bool": {"SERVICE1(D, A, OFF)", stencils.ToF32},
	"to_i32 f32":      {"SERVICE1(D, A, OFF)", stencils.ToI32},

	"neg f32":      {text: "D = A ^ SIGN_BIT"},
	"abs f32":      {text: "D = A & MAGNITUDE"},
	"sign f32":     {text: "D = soft_sign(A)"},
	"isnan f32":    {text: "D = soft_isnan(A)"},
	"isfinite f32": {text: "D = soft_isfinite(A)"},
	"to_bool f32":  {text: "D = soft_to_bool(A)"},
	"to_bool i32":  {text: "D = A != 0"},
	"select f32":   {text: "D = select_i32(A, B, C)"},

	"min f32": {}, "max f32": {}, "atmost f32": {}, "atleast f32": {}, "sqrt f32": {}, "floor f32": {}, "trunc f32": {}, "ceil f32": {}, "round f32": {},
}

// softDivision are the rows for cores that cannot divide integers.
var softDivision = map[string]softRow{
	"floordiv i32": {"SERVICE3(D, A, B, OFF)", stencils.FloorDivI32},
	"mod i32":      {"SERVICE3(D, A, B, OFF)", stencils.ModI32},
}

// softKernels are what is a stencil elsewhere.
var softKernels = []kernelRow{
	{"sqrt", "f32", "cf_sqrt", "kernels/f32/sqrt.c", 1, 1},
	{"min", "f32", "cf_min", "kernels/exact/min.c", 2, 1},
	{"max", "f32", "cf_max", "kernels/exact/max.c", 2, 1},
	{"floor", "f32", "cf_floor", "kernels/exact/floor.c", 1, 1},
	{"ceil", "f32", "cf_ceil", "kernels/exact/ceil.c", 1, 1},
	{"trunc", "f32", "cf_trunc", "kernels/exact/trunc.c", 1, 1},
	{"round", "f32", "cf_round", "kernels/exact/round.c", 1, 1},
}

// soften is the row as it is on an architecture without float registers, without
// hardware division, or as it was. ok is false where it is no stencil.
func (r row) soften(a *arch) (s row, service stencils.Service, ok bool) {
	name := r.op + " " + r.dtypes
	soft, listed := softRows[name]
	if !a.SoftFloat {
		listed = false
	}
	if a.SoftDivision && softDivision[name].text != "" {
		soft, listed = softDivision[name], true
	}
	if !listed {
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
func (a *arch) kernelRows() []kernelRow {
	list := slices.Clone(kernelRows)
	if !a.Doubles {
		list = slices.DeleteFunc(list, func(row kernelRow) bool { return row.dtype == "f64" })
	}
	if a.SoftFloat {
		list = append(list, softKernels...)
	}
	for i := range list {
		switch {
		case list[i].results == 1:
		case a.SoftFloat:
			list[i].file = "kernels/f32int/" + list[i].op + "_bits.c"
		case a.OneResult:
			list[i].file = strings.TrimSuffix(list[i].file, ".c") + "_pair.c"
		}
	}
	return list
}
