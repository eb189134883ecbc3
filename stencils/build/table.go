package main

import "fmt"

// row describes a stencil. The classes of its operands are read off the
// pattern: result, '=', sources; F is a float register, V one that holds four
// lanes (a row has F or V, not both), I an integer one, and an empty side means
// none. The text is the C statement, in which D, A, B, C stand for the registers
// and OFF for the immediate.
type row struct {
	op, dtypes string // dtypes separated by spaces
	pattern    string
	text       string
	traits     trait
	far        string // text for an immediate beyond the direct range, if any
}

type trait uint

const (
	tied     trait = 1 << iota // two-address on architectures that have such code
	memory                     // also with the last source in memory, where the architecture can
	offset                     // OFF is the offset of a data word
	index                      // OFF is an offset added to an index
	literal                    // the text has a 32-bit immediate of its own
	small                      // the direct form takes 0..4095 only
	byteWise                   // the direct form takes offsets 0..252 only, where offsets are sampled
	short                      // the direct form takes 0..65535 only
	steps                      // the text has a step (small) and a limit
	frame                      // the text works on the stack and may return or call
)

// Rows of stencils. Adding an op is a line here and its function in stencils/src.
var rows = []row{
	{op: "mov", dtypes: "f32", pattern: "F=F", text: "D = mov_f32(A)"},
	{op: "mov", dtypes: "i32 bool", pattern: "I=I", text: "D = mov_i32(A)"},
	{op: "ld", dtypes: "f32", pattern: "F=", text: "D = ld_f32(base, OFF)", traits: offset, far: "D = ld_f32(base, hole32())"},
	{op: "ld", dtypes: "i32 bool", pattern: "I=", text: "D = ld_i32(base, OFF)", traits: offset, far: "D = ld_i32(base, hole32())"},
	{op: "st", dtypes: "f32", pattern: "=F", text: "st_f32(base, OFF, A)", traits: offset, far: "st_f32(base, hole32(), A)"},
	{op: "st", dtypes: "i32 bool", pattern: "=I", text: "st_i32(base, OFF, A)", traits: offset, far: "st_i32(base, hole32(), A)"},
	{op: "ldx", dtypes: "f32", pattern: "F=I", text: "LDX_F32(D, A, OFF)", traits: index, far: "LDX_F32(D, A, hole32())"},
	{op: "ldx", dtypes: "i32 bool", pattern: "I=I", text: "LDX_I32(D, A, OFF)", traits: index, far: "LDX_I32(D, A, hole32())"},
	{op: "stx", dtypes: "f32", pattern: "=FI", text: "STX_F32(A, B, OFF)", traits: index, far: "STX_F32(A, B, hole32())"},
	{op: "stx", dtypes: "i32 bool", pattern: "=II", text: "STX_I32(A, B, OFF)", traits: index, far: "STX_I32(A, B, hole32())"},
	{op: "imm", dtypes: "i32 bool", pattern: "I=", text: "IMM_SHORT(D)", traits: literal | short, far: "IMM(D)"},
	{op: "addi", dtypes: "i32", pattern: "I=I", text: "ADD_SMALL(D, A)", traits: literal | small | tied, far: "D = A + hole32()"},
	{op: "loop", dtypes: "i32", pattern: "I=", text: "LOOP(D)", traits: steps},
	{op: "call", pattern: "=", text: "call()", traits: frame},
	{op: "enter", pattern: "=", text: "enter()", traits: frame},
	{op: "leave", pattern: "=", text: "leave()", traits: frame},

	{op: "add", dtypes: "f32", pattern: "F=FF", text: "D = add_f32(A, B)", traits: tied | memory},
	{op: "sub", dtypes: "f32", pattern: "F=FF", text: "D = sub_f32(A, B)", traits: tied | memory},
	{op: "mul", dtypes: "f32", pattern: "F=FF", text: "D = mul_f32(A, B)", traits: tied | memory},
	{op: "div", dtypes: "f32", pattern: "F=FF", text: "D = div_f32(A, B)", traits: tied | memory},
	{op: "min", dtypes: "f32", pattern: "F=FF", text: "D = min_f32(A, B)", traits: tied},
	{op: "max", dtypes: "f32", pattern: "F=FF", text: "D = max_f32(A, B)", traits: tied},
	{op: "neg", dtypes: "f32", pattern: "F=F", text: "D = neg_f32(A)"},
	{op: "abs", dtypes: "f32", pattern: "F=F", text: "D = abs_f32(A)"},
	{op: "sign", dtypes: "f32", pattern: "F=F", text: "D = sign_f32(A)"},
	{op: "sqrt", dtypes: "f32", pattern: "F=F", text: "D = sqrt_f32(A)"},
	{op: "floor", dtypes: "f32", pattern: "F=F", text: "D = floor_f32(A)"},
	{op: "trunc", dtypes: "f32", pattern: "F=F", text: "D = trunc_f32(A)"},
	{op: "ceil", dtypes: "f32", pattern: "F=F", text: "D = ceil_f32(A)"},
	{op: "round", dtypes: "f32", pattern: "F=F", text: "D = round_f32(A)"},

	{op: "add", dtypes: "i32", pattern: "I=II", text: "D = add_i32(A, B)", traits: tied | memory},
	{op: "sub", dtypes: "i32", pattern: "I=II", text: "D = sub_i32(A, B)", traits: tied | memory},
	{op: "mul", dtypes: "i32", pattern: "I=II", text: "D = mul_i32(A, B)", traits: tied | memory},
	{op: "floordiv", dtypes: "i32", pattern: "I=II", text: "D = floordiv_i32(A, B, base)"},
	{op: "mod", dtypes: "i32", pattern: "I=II", text: "D = mod_i32(A, B, base)"},
	{op: "min", dtypes: "i32", pattern: "I=II", text: "D = min_i32(A, B)", traits: tied},
	{op: "max", dtypes: "i32", pattern: "I=II", text: "D = max_i32(A, B)", traits: tied},
	{op: "neg", dtypes: "i32", pattern: "I=I", text: "D = neg_i32(A)"},
	{op: "abs", dtypes: "i32", pattern: "I=I", text: "D = abs_i32(A)"},
	{op: "sign", dtypes: "i32", pattern: "I=I", text: "D = sign_i32(A)"},
	{op: "and", dtypes: "i32 bool", pattern: "I=II", text: "D = and_i32(A, B)", traits: tied | memory},
	{op: "or", dtypes: "i32 bool", pattern: "I=II", text: "D = or_i32(A, B)", traits: tied | memory},
	{op: "xor", dtypes: "i32 bool", pattern: "I=II", text: "D = xor_i32(A, B)", traits: tied | memory},
	{op: "not", dtypes: "i32", pattern: "I=I", text: "D = not_i32(A)"},
	{op: "not", dtypes: "bool", pattern: "I=I", text: "D = not_bool(A)"},
	{op: "shl", dtypes: "i32", pattern: "I=II", text: "D = shl_i32(A, B, base)"},
	{op: "shr", dtypes: "i32", pattern: "I=II", text: "D = shr_i32(A, B, base)"},

	{op: "lt", dtypes: "f32", pattern: "I=FF", text: "D = lt_f32(A, B)", traits: memory},
	{op: "le", dtypes: "f32", pattern: "I=FF", text: "D = le_f32(A, B)", traits: memory},
	{op: "gt", dtypes: "f32", pattern: "I=FF", text: "D = gt_f32(A, B)", traits: memory},
	{op: "ge", dtypes: "f32", pattern: "I=FF", text: "D = ge_f32(A, B)", traits: memory},
	{op: "eq", dtypes: "f32", pattern: "I=FF", text: "D = eq_f32(A, B)", traits: memory},
	{op: "ne", dtypes: "f32", pattern: "I=FF", text: "D = ne_f32(A, B)", traits: memory},
	{op: "isnan", dtypes: "f32", pattern: "I=F", text: "D = isnan_f32(A)"},
	{op: "isfinite", dtypes: "f32", pattern: "I=F", text: "D = isfinite_f32(A)"},
	{op: "lt", dtypes: "i32", pattern: "I=II", text: "D = lt_i32(A, B)", traits: memory},
	{op: "le", dtypes: "i32", pattern: "I=II", text: "D = le_i32(A, B)", traits: memory},
	{op: "gt", dtypes: "i32", pattern: "I=II", text: "D = gt_i32(A, B)", traits: memory},
	{op: "ge", dtypes: "i32", pattern: "I=II", text: "D = ge_i32(A, B)", traits: memory},
	{op: "eq", dtypes: "i32 bool", pattern: "I=II", text: "D = eq_i32(A, B)", traits: memory},
	{op: "ne", dtypes: "i32 bool", pattern: "I=II", text: "D = ne_i32(A, B)", traits: memory},
	{op: "select", dtypes: "f32", pattern: "F=IFF", text: "D = select_f32(A, B, C)"},
	{op: "select", dtypes: "i32 bool", pattern: "I=III", text: "D = select_i32(A, B, C)"},

	{op: "mov", dtypes: "f32x4", pattern: "V=V", text: "D = A"},
	{op: "ld", dtypes: "f32x4", pattern: "V=", text: "LD_F32X4(D, OFF)", traits: offset | byteWise, far: "LD_F32X4_FAR(D, hole32())"},
	{op: "st", dtypes: "f32x4", pattern: "=V", text: "ST_F32X4(A, OFF)", traits: offset | byteWise, far: "ST_F32X4_FAR(A, hole32())"},
	{op: "ldx", dtypes: "f32x4", pattern: "V=I", text: "LDX_F32X4(D, A, OFF)", traits: index | byteWise, far: "LDX_F32X4_FAR(D, A, hole32())"},
	{op: "stx", dtypes: "f32x4", pattern: "=VI", text: "STX_F32X4(A, B, OFF)", traits: index | byteWise, far: "STX_F32X4_FAR(A, B, hole32())"},
	{op: "splat", dtypes: "f32x4", pattern: "V=", text: "SPLAT_F32X4(D, OFF)", traits: offset, far: "SPLAT_F32X4_FAR(D, hole32())"},
	{op: "splatx", dtypes: "f32x4", pattern: "V=I", text: "SPLATX_F32X4(D, A, OFF)", traits: index, far: "SPLATX_F32X4_FAR(D, A, hole32())"},
	{op: "add", dtypes: "f32x4", pattern: "V=VV", text: "D = add_f32x4(A, B)", traits: tied},
	{op: "sub", dtypes: "f32x4", pattern: "V=VV", text: "D = sub_f32x4(A, B)", traits: tied},
	{op: "mul", dtypes: "f32x4", pattern: "V=VV", text: "D = mul_f32x4(A, B)", traits: tied},
	{op: "div", dtypes: "f32x4", pattern: "V=VV", text: "D = div_f32x4(A, B)", traits: tied},
	{op: "min", dtypes: "f32x4", pattern: "V=VV", text: "D = min_f32x4(A, B)", traits: tied},
	{op: "max", dtypes: "f32x4", pattern: "V=VV", text: "D = max_f32x4(A, B)", traits: tied},
	{op: "neg", dtypes: "f32x4", pattern: "V=V", text: "D = neg_f32x4(A)"},
	{op: "abs", dtypes: "f32x4", pattern: "V=V", text: "D = abs_f32x4(A)"},
	{op: "sqrt", dtypes: "f32x4", pattern: "V=V", text: "D = sqrt_f32x4(A)"},

	{op: "to_f32", dtypes: "i32 bool", pattern: "F=I", text: "D = to_f32_i32(A)"},
	{op: "to_i32", dtypes: "f32", pattern: "I=F", text: "TO_I32(D, A)"},
	{op: "to_i32", dtypes: "bool", pattern: "I=I", text: "D = mov_i32(A)"},
	{op: "to_bool", dtypes: "f32", pattern: "I=F", text: "D = to_bool_f32(A)"},
	{op: "to_bool", dtypes: "i32", pattern: "I=I", text: "D = to_bool_i32(A)"},
}

// kernelRow describes a kernel: the file under stencils/src that defines the
// function, and how many Float registers it takes and gives.
type kernelRow struct {
	op, symbol, file string
	args, results    int
}

var kernelRows = []kernelRow{
	{"sin", "cf_sin", "math/sin.c", 1, 1},
	{"cos", "cf_cos", "math/cos.c", 1, 1},
	{"sincos", "cf_sincos", "math/sincos.c", 1, 2},
	{"tan", "cf_tan", "math/tan.c", 1, 1},
	{"asin", "cf_asin", "math/asin.c", 1, 1},
	{"acos", "cf_acos", "math/acos.c", 1, 1},
	{"atan", "cf_atan", "math/atan.c", 1, 1},
	{"exp", "cf_exp", "math/exp.c", 1, 1},
	{"log", "cf_log", "math/log.c", 1, 1},
	{"exp2", "cf_exp2", "math/exp2.c", 1, 1},
	{"expm1", "cf_expm1", "math/expm1.c", 1, 1},
	{"sinh", "cf_sinh", "math/sinh.c", 1, 1},
	{"cosh", "cf_cosh", "math/cosh.c", 1, 1},
	{"tanh", "cf_tanh", "math/tanh.c", 1, 1},
	{"log2", "cf_log2", "math/log2.c", 1, 1},
	{"log10", "cf_log10", "math/log10.c", 1, 1},
	{"log1p", "cf_log1p", "math/log1p.c", 1, 1},
	{"cbrt", "cf_cbrt", "math/cbrt.c", 1, 1},
	{"pow", "cf_pow", "math/pow.c", 2, 1},
	{"atan2", "cf_atan2", "math/atan2.c", 2, 1},
	{"hypot", "cf_hypot", "math/hypot.c", 2, 1},
	{"fmod", "cf_fmod", "exact/fmod.c", 2, 1},
	{"floordiv", "cf_floordiv", "exact/floordiv.c", 2, 1},
	{"mod", "cf_mod", "exact/mod.c", 2, 1},
}

// textFiles are the sources whose functions the rows use.
var textFiles = []string{"machine.c", "float.c", "integer.c", "compare.c", "cast.c", "vector.c"}

func (r *row) String() string { return fmt.Sprintf("%s %s", r.op, r.dtypes) }
