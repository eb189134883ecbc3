package main

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/protocol/packet"
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

	"add f32": {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Add)},
	"sub f32": {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Sub)},
	"mul f32": {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Mul)},
	"div f32": {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Div)},
	"lt f32":  {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Lt)},
	"le f32":  {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Le)},
	"gt f32":  {"SERVICE2(D, B, A, OFF)", stencils.Calls(packet.ServiceF32Lt)},
	"ge f32":  {"SERVICE2(D, B, A, OFF)", stencils.Calls(packet.ServiceF32Le)},
	"eq f32":  {"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Eq)},
	"ne f32":  {"SERVICE_NE(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Eq)},

	"to_f32 i32 bool": {"SERVICE1(D, A, OFF)", stencils.Calls(packet.ServiceI32ToF32)},
	"to_i32 f32":      {"SERVICE1(D, A, OFF)", stencils.Calls(packet.ServiceF32ToI32)},

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
	"floordiv i32": {"SERVICE3(D, A, B, OFF)", stencils.Calls(packet.ServiceI32Floordiv)},
	"mod i32":      {"SERVICE3(D, A, B, OFF)", stencils.Calls(packet.ServiceI32Mod)},
}

// softKernels are what is a stencil elsewhere.
var softKernels = []kernelRow{
	{op: "sqrt", dtype: "f32", symbol: "cf_sqrt", file: "f32/sqrt.h", integer: "f32int/root.h", args: 1, results: 1},
	{op: "min", dtype: "f32", symbol: "cf_min", file: "exact/soft.h", text: "from_bits(soft_least(bits(a), bits(b)))", args: 2, results: 1},
	{op: "max", dtype: "f32", symbol: "cf_max", file: "exact/soft.h", text: "from_bits(soft_greatest(bits(a), bits(b)))", args: 2, results: 1},
	{op: "floor", dtype: "f32", symbol: "cf_floor", file: "exact/soft.h", text: "from_bits(soft_toward(bits(a), SIGN_BIT))", args: 1, results: 1},
	{op: "ceil", dtype: "f32", symbol: "cf_ceil", file: "exact/soft.h", text: "from_bits(soft_toward(bits(a), 0u))", args: 1, results: 1},
	{op: "trunc", dtype: "f32", symbol: "cf_trunc", file: "exact/soft.h", text: "from_bits(soft_trunc(bits(a)))", args: 1, results: 1},
	{op: "round", dtype: "f32", symbol: "cf_round", file: "exact/soft.h", text: "from_bits(soft_round(bits(a)))", args: 1, results: 1},
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
			list[i].file = "f32int/" + list[i].op + "_bits.c"
		case a.OneResult:
			list[i].file = strings.TrimSuffix(list[i].file, ".c") + "_pair.c"
		}
	}
	return list
}
