package main

import (
	"fmt"
	"strings"
)

// row describes a stencil. The classes of its operands are read off the
// pattern: result, '=', sources; F is a float register, V one that holds four
// lanes or eight (a row has F or V, not both), D one that holds a double, I an integer one,
// and an empty side means none. The text is the C statement, in which D, A, B, C stand for the registers
// and OFF for the immediate.
type row struct {
	op, dtypes string // dtypes separated by spaces
	needs      string // features, one of which the processor must have; none where empty
	pattern    string
	text       string
	traits     trait
	far        string // text for an immediate beyond the direct range, if any
	// mid is the text for an offset beyond the reach of the direct form, but not too far
	// for something shorter than the far one; see midReach.
	mid string
}

type trait uint

const (
	tied     trait = 1 << iota // two-address on architectures that have such code
	memory                     // also with the last source in memory, where the architecture can
	offset                     // OFF is the offset of a data word
	index                      // OFF is an offset added to an index
	literal                    // the text has a 32-bit immediate of its own
	small                      // the direct form takes what fits an addition
	byteWise                   // the direct form takes offsets 0..252 only, where offsets are sampled
	short                      // the direct form takes what fits a move
	steps                      // the text has a step and a limit
	frame                      // the text works on the stack and may return or call
)

// Rows of stencils. Adding an op is a line here and its function in stencils/src.
var rows = []row{
	{op: "mov", dtypes: "f32", pattern: "F=F", text: "D = mov_f32(A)"},
	{op: "mov", dtypes: "i32 bool", pattern: "I=I", text: "D = mov_i32(A)"},
	{op: "ld", dtypes: "f32", pattern: "F=", text: "D = ld_f32(base, OFF)", traits: offset, far: "LD_F32_FAR(D)", mid: "LD_F32_MID(D, OFF)"},
	{op: "ld", dtypes: "i32 bool", pattern: "I=", text: "D = ld_i32(base, OFF)", traits: offset, far: "LD_I32_FAR(D)", mid: "LD_I32_MID(D, OFF)"},
	{op: "st", dtypes: "f32", pattern: "=F", text: "st_f32(base, OFF, A)", traits: offset, far: "ST_F32_FAR(A)", mid: "ST_F32_MID(A, OFF)"},
	{op: "st", dtypes: "i32 bool", pattern: "=I", text: "st_i32(base, OFF, A)", traits: offset, far: "ST_I32_FAR(A)", mid: "ST_I32_MID(A, OFF)"},
	{op: "ldx", dtypes: "f32", pattern: "F=I", text: "LDX_F32(D, A, OFF)", traits: index, far: "LDX_F32(D, A, hole32())", mid: "LDX_F32_MID(D, A, OFF)"},
	{op: "ldx", dtypes: "i32 bool", pattern: "I=I", text: "LDX_I32(D, A, OFF)", traits: index, far: "LDX_I32(D, A, hole32())", mid: "LDX_I32_MID(D, A, OFF)"},
	{op: "stx", dtypes: "f32", pattern: "=FI", text: "STX_F32(A, B, OFF)", traits: index, far: "STX_F32(A, B, hole32())", mid: "STX_F32_MID(A, B, OFF)"},
	{op: "stx", dtypes: "i32 bool", pattern: "=II", text: "STX_I32(A, B, OFF)", traits: index, far: "STX_I32(A, B, hole32())", mid: "STX_I32_MID(A, B, OFF)"},
	{op: "imm", dtypes: "i32 bool", pattern: "I=", text: "IMM_SHORT(D)", traits: literal | short, far: "IMM(D)"},
	{op: "addi", dtypes: "i32", pattern: "I=I", text: "ADD_SMALL(D, A)", traits: literal | small | tied, far: "D = A + hole32()"},
	{op: "loop", dtypes: "i32", pattern: "I=", text: "LOOP(D)", traits: steps, far: "LOOP_FAR(D)"},
	{op: "call", pattern: "=", text: "call()", traits: frame},
	{op: "call", dtypes: "f64", pattern: "=", text: "call_f64()", traits: frame},
	{op: "enter", pattern: "=", text: "enter()", traits: frame},
	{op: "leave", pattern: "=", text: "leave()", traits: frame},
	{op: "save", dtypes: "i32", pattern: "=", text: "save_ints()", traits: frame},
	{op: "save", dtypes: "f32", pattern: "=", text: "save_floats()", traits: frame},
	{op: "restore", dtypes: "i32", pattern: "=", text: "restore_ints()", traits: frame},
	{op: "restore", dtypes: "f32", pattern: "=", text: "restore_floats()", traits: frame},

	{op: "add", dtypes: "f32", pattern: "F=FF", text: "D = add_f32(A, B)", traits: tied | memory},
	{op: "sub", dtypes: "f32", pattern: "F=FF", text: "D = sub_f32(A, B)", traits: tied | memory},
	{op: "mul", dtypes: "f32", pattern: "F=FF", text: "D = mul_f32(A, B)", traits: tied | memory},
	{op: "div", dtypes: "f32", pattern: "F=FF", text: "D = div_f32(A, B)", traits: tied | memory},
	{op: "min", dtypes: "f32", pattern: "F=FF", text: "D = min_f32(A, B)", traits: tied},
	{op: "max", dtypes: "f32", pattern: "F=FF", text: "D = max_f32(A, B)", traits: tied},
	{op: "atmost", dtypes: "f32", pattern: "F=FF", text: "D = atmost_f32(A, B)", traits: tied | memory},
	{op: "atleast", dtypes: "f32", pattern: "F=FF", text: "D = atleast_f32(A, B)", traits: tied | memory},
	{op: "neg", dtypes: "f32", pattern: "F=F", text: "D = neg_f32(A)"},
	{op: "abs", dtypes: "f32", pattern: "F=F", text: "D = abs_f32(A)"},
	{op: "sign", dtypes: "f32", pattern: "F=F", text: "D = sign_f32(A)"},
	{op: "sqrt", dtypes: "f32", pattern: "F=F", text: "D = sqrt_f32(A)"},
	{op: "floor", dtypes: "f32", pattern: "F=F", text: "D = floor_f32(A)"},
	{op: "trunc", dtypes: "f32", pattern: "F=F", text: "D = trunc_f32(A)"},
	{op: "ceil", dtypes: "f32", pattern: "F=F", text: "D = ceil_f32(A)"},
	{op: "round", dtypes: "f32", pattern: "F=F", text: "D = round_f32(A)"},
	{op: "floor", dtypes: "f32", needs: "sse41", pattern: "F=F", text: "D = floor_f32(A)"},
	{op: "trunc", dtypes: "f32", needs: "sse41", pattern: "F=F", text: "D = trunc_f32(A)"},
	{op: "ceil", dtypes: "f32", needs: "sse41", pattern: "F=F", text: "D = ceil_f32(A)"},
	{op: "round", dtypes: "f32", needs: "sse41", pattern: "F=F", text: "D = round_f32(A)"},

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

	{op: "floor", dtypes: "f32x4", needs: "sse41 neon", pattern: "V=V", text: "D = floor_f32x4(A)"},
	{op: "trunc", dtypes: "f32x4", needs: "sse41 neon", pattern: "V=V", text: "D = trunc_f32x4(A)"},
	{op: "ceil", dtypes: "f32x4", needs: "sse41 neon", pattern: "V=V", text: "D = ceil_f32x4(A)"},
	{op: "round", dtypes: "f32x4", needs: "sse41 neon", pattern: "V=V", text: "D = round_f32x4(A)"},

	{op: "lt", dtypes: "f32x4", pattern: "V=VV", text: "D = lt_f32x4(A, B)", traits: tied},
	{op: "le", dtypes: "f32x4", pattern: "V=VV", text: "D = le_f32x4(A, B)", traits: tied},
	{op: "gt", dtypes: "f32x4", pattern: "V=VV", text: "D = gt_f32x4(A, B)", traits: tied},
	{op: "ge", dtypes: "f32x4", pattern: "V=VV", text: "D = ge_f32x4(A, B)", traits: tied},
	{op: "eq", dtypes: "f32x4", pattern: "V=VV", text: "D = eq_f32x4(A, B)", traits: tied},
	{op: "ne", dtypes: "f32x4", pattern: "V=VV", text: "D = ne_f32x4(A, B)", traits: tied},
	{op: "select", dtypes: "f32x4 i32x4 boolx4", pattern: "V=VVV", text: "SELECT_X4(D, A, B, C)"},
	{op: "to_i32", dtypes: "f32x4", pattern: "V=V", text: "D = to_i32_f32x4(A)", traits: tied},
	{op: "to_f32", dtypes: "i32x4 boolx4", pattern: "V=V", text: "D = to_f32_i32x4(A)"},
	{op: "add", dtypes: "i32x4", pattern: "V=VV", text: "D = add_i32x4(A, B)", traits: tied},
	{op: "sub", dtypes: "i32x4", pattern: "V=VV", text: "D = sub_i32x4(A, B)", traits: tied},
	{op: "mul", dtypes: "i32x4", needs: "sse41 neon", pattern: "V=VV", text: "D = mul_i32x4(A, B)", traits: tied},
	{op: "min", dtypes: "i32x4", needs: "sse41 neon", pattern: "V=VV", text: "D = min_i32x4(A, B)", traits: tied},
	{op: "max", dtypes: "i32x4", needs: "sse41 neon", pattern: "V=VV", text: "D = max_i32x4(A, B)", traits: tied},
	{op: "neg", dtypes: "i32x4", pattern: "V=V", text: "D = neg_i32x4(A)", traits: tied},
	{op: "and", dtypes: "i32x4 boolx4", pattern: "V=VV", text: "D = and_x4(A, B)", traits: tied},
	{op: "or", dtypes: "i32x4 boolx4", pattern: "V=VV", text: "D = or_x4(A, B)", traits: tied},
	{op: "xor", dtypes: "i32x4 boolx4", pattern: "V=VV", text: "D = xor_x4(A, B)", traits: tied},
	{op: "not", dtypes: "boolx4", pattern: "V=V", text: "D = not_boolx4(A)", traits: tied},
	{op: "lt", dtypes: "i32x4", pattern: "V=VV", text: "D = lt_i32x4(A, B)", traits: tied},
	{op: "gt", dtypes: "i32x4", pattern: "V=VV", text: "D = gt_i32x4(A, B)", traits: tied},
	{op: "le", dtypes: "i32x4", pattern: "V=VV", text: "D = le_i32x4(A, B)", traits: tied},
	{op: "ge", dtypes: "i32x4", pattern: "V=VV", text: "D = ge_i32x4(A, B)", traits: tied},
	{op: "eq", dtypes: "i32x4 boolx4", pattern: "V=VV", text: "D = eq_i32x4(A, B)", traits: tied},
	{op: "ne", dtypes: "i32x4 boolx4", pattern: "V=VV", text: "D = ne_i32x4(A, B)", traits: tied},

	{op: "mov", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = A"},
	{op: "ld", dtypes: "f32x8", needs: "avx2", pattern: "V=", text: "LD_F32X8(D, OFF)", traits: offset},
	{op: "st", dtypes: "f32x8", needs: "avx2", pattern: "=V", text: "ST_F32X8(A, OFF)", traits: offset},
	{op: "ldx", dtypes: "f32x8", needs: "avx2", pattern: "V=I", text: "LDX_F32X8(D, A, OFF)", traits: index},
	{op: "stx", dtypes: "f32x8", needs: "avx2", pattern: "=VI", text: "STX_F32X8(A, B, OFF)", traits: index},
	{op: "splat", dtypes: "f32x8", needs: "avx2", pattern: "V=", text: "SPLAT_F32X8(D, OFF)", traits: offset},
	{op: "splatx", dtypes: "f32x8", needs: "avx2", pattern: "V=I", text: "SPLATX_F32X8(D, A, OFF)", traits: index},
	{op: "narrow", dtypes: "f32x8", needs: "avx2", pattern: "=", text: "narrow_f32x8()"},
	{op: "add", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = add_f32x8(A, B)"},
	{op: "sub", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = sub_f32x8(A, B)"},
	{op: "mul", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = mul_f32x8(A, B)"},
	{op: "addx", dtypes: "f32x8", needs: "avx2", pattern: "V=VI", text: "INDEXED_F32X8(\"vaddps\", D, A, B)", traits: index},
	{op: "subx", dtypes: "f32x8", needs: "avx2", pattern: "V=VI", text: "INDEXED_F32X8(\"vsubps\", D, A, B)", traits: index},
	{op: "mulx", dtypes: "f32x8", needs: "avx2", pattern: "V=VI", text: "INDEXED_F32X8(\"vmulps\", D, A, B)", traits: index},
	{op: "div", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = div_f32x8(A, B)"},
	{op: "min", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = min_f32x8(A, B)"},
	{op: "max", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = max_f32x8(A, B)"},
	{op: "neg", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = neg_f32x8(A)"},
	{op: "abs", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = abs_f32x8(A)"},
	{op: "sqrt", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = sqrt_f32x8(A)"},
	{op: "floor", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = floor_f32x8(A)"},
	{op: "trunc", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = trunc_f32x8(A)"},
	{op: "ceil", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = ceil_f32x8(A)"},
	{op: "round", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = round_f32x8(A)"},
	{op: "lt", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = lt_f32x8(A, B)"},
	{op: "le", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = le_f32x8(A, B)"},
	{op: "gt", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = gt_f32x8(A, B)"},
	{op: "ge", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = ge_f32x8(A, B)"},
	{op: "eq", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = eq_f32x8(A, B)"},
	{op: "ne", dtypes: "f32x8", needs: "avx2", pattern: "V=VV", text: "D = ne_f32x8(A, B)"},
	{op: "select", dtypes: "f32x8 i32x8 boolx8", needs: "avx2", pattern: "V=VVV", text: "D = select_x8(A, B, C)"},
	{op: "to_i32", dtypes: "f32x8", needs: "avx2", pattern: "V=V", text: "D = to_i32_f32x8(A)"},
	{op: "to_f32", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=V", text: "D = to_f32_i32x8(A)"},
	{op: "add", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = add_i32x8(A, B)"},
	{op: "sub", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = sub_i32x8(A, B)"},
	{op: "mul", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = mul_i32x8(A, B)"},
	{op: "min", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = min_i32x8(A, B)"},
	{op: "max", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = max_i32x8(A, B)"},
	{op: "neg", dtypes: "i32x8", needs: "avx2", pattern: "V=V", text: "D = neg_i32x8(A)"},
	{op: "and", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=VV", text: "D = and_x8(A, B)"},
	{op: "or", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=VV", text: "D = or_x8(A, B)"},
	{op: "xor", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=VV", text: "D = xor_x8(A, B)"},
	{op: "not", dtypes: "boolx8", needs: "avx2", pattern: "V=V", text: "D = not_boolx8(A)"},
	{op: "lt", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = lt_i32x8(A, B)"},
	{op: "gt", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = gt_i32x8(A, B)"},
	{op: "le", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = le_i32x8(A, B)"},
	{op: "ge", dtypes: "i32x8", needs: "avx2", pattern: "V=VV", text: "D = ge_i32x8(A, B)"},
	{op: "eq", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=VV", text: "D = eq_i32x8(A, B)"},
	{op: "ne", dtypes: "i32x8 boolx8", needs: "avx2", pattern: "V=VV", text: "D = ne_i32x8(A, B)"},

	{op: "to_f32", dtypes: "i32 bool", pattern: "F=I", text: "D = to_f32_i32(A)"},
	{op: "to_i32", dtypes: "f32", pattern: "I=F", text: "TO_I32(D, A)"},
	{op: "to_i32", dtypes: "bool", pattern: "I=I", text: "D = mov_i32(A)"},
	{op: "to_bool", dtypes: "f32", pattern: "I=F", text: "D = to_bool_f32(A)"},
	{op: "to_bool", dtypes: "i32", pattern: "I=I", text: "D = to_bool_i32(A)"},

	{op: "mov", dtypes: "f64", pattern: "D=D", text: "D = mov_f64(A)"},
	{op: "ld", dtypes: "f64", pattern: "D=", text: "D = ld_f64(base, OFF)", traits: offset, far: "LD_F64_FAR(D)"},
	{op: "st", dtypes: "f64", pattern: "=D", text: "st_f64(base, OFF, A)", traits: offset, far: "ST_F64_FAR(A)"},
	{op: "ldx", dtypes: "f64", pattern: "D=I", text: "LDX_F64(D, A, OFF)", traits: index, far: "LDX_F64(D, A, hole32())"},
	{op: "stx", dtypes: "f64", pattern: "=DI", text: "STX_F64(A, B, OFF)", traits: index, far: "STX_F64(A, B, hole32())"},
	{op: "add", dtypes: "f64", pattern: "D=DD", text: "D = add_f64(A, B)", traits: tied | memory},
	{op: "sub", dtypes: "f64", pattern: "D=DD", text: "D = sub_f64(A, B)", traits: tied | memory},
	{op: "mul", dtypes: "f64", pattern: "D=DD", text: "D = mul_f64(A, B)", traits: tied | memory},
	{op: "div", dtypes: "f64", pattern: "D=DD", text: "D = div_f64(A, B)", traits: tied | memory},
	{op: "min", dtypes: "f64", pattern: "D=DD", text: "D = min_f64(A, B)", traits: tied},
	{op: "max", dtypes: "f64", pattern: "D=DD", text: "D = max_f64(A, B)", traits: tied},
	{op: "atmost", dtypes: "f64", pattern: "D=DD", text: "D = atmost_f64(A, B)", traits: tied | memory},
	{op: "atleast", dtypes: "f64", pattern: "D=DD", text: "D = atleast_f64(A, B)", traits: tied | memory},
	{op: "neg", dtypes: "f64", pattern: "D=D", text: "D = neg_f64(A)"},
	{op: "abs", dtypes: "f64", pattern: "D=D", text: "D = abs_f64(A)"},
	{op: "sign", dtypes: "f64", pattern: "D=D", text: "D = sign_f64(A)"},
	{op: "sqrt", dtypes: "f64", pattern: "D=D", text: "D = sqrt_f64(A)"},
	{op: "floor", dtypes: "f64", pattern: "D=D", text: "D = floor_f64(A)"},
	{op: "trunc", dtypes: "f64", pattern: "D=D", text: "D = trunc_f64(A)"},
	{op: "ceil", dtypes: "f64", pattern: "D=D", text: "D = ceil_f64(A)"},
	{op: "round", dtypes: "f64", pattern: "D=D", text: "D = round_f64(A)"},
	{op: "floor", dtypes: "f64", needs: "sse41", pattern: "D=D", text: "D = floor_f64(A)"},
	{op: "trunc", dtypes: "f64", needs: "sse41", pattern: "D=D", text: "D = trunc_f64(A)"},
	{op: "ceil", dtypes: "f64", needs: "sse41", pattern: "D=D", text: "D = ceil_f64(A)"},
	{op: "round", dtypes: "f64", needs: "sse41", pattern: "D=D", text: "D = round_f64(A)"},
	{op: "lt", dtypes: "f64", pattern: "I=DD", text: "D = lt_f64(A, B)", traits: memory},
	{op: "le", dtypes: "f64", pattern: "I=DD", text: "D = le_f64(A, B)", traits: memory},
	{op: "gt", dtypes: "f64", pattern: "I=DD", text: "D = gt_f64(A, B)", traits: memory},
	{op: "ge", dtypes: "f64", pattern: "I=DD", text: "D = ge_f64(A, B)", traits: memory},
	{op: "eq", dtypes: "f64", pattern: "I=DD", text: "D = eq_f64(A, B)", traits: memory},
	{op: "ne", dtypes: "f64", pattern: "I=DD", text: "D = ne_f64(A, B)", traits: memory},
	{op: "isnan", dtypes: "f64", pattern: "I=D", text: "D = isnan_f64(A)"},
	{op: "isfinite", dtypes: "f64", pattern: "I=D", text: "D = isfinite_f64(A)"},
	{op: "select", dtypes: "f64", pattern: "D=IDD", text: "D = select_f64(A, B, C)"},
	{op: "to_i32", dtypes: "f64", pattern: "I=D", text: "TO_I32_F64(D, A)"},
	{op: "to_bool", dtypes: "f64", pattern: "I=D", text: "D = to_bool_f64(A)"},
	{op: "to_f64", dtypes: "i32 bool", pattern: "D=I", text: "D = to_f64_i32(A)"},
	{op: "to_f64", dtypes: "f32", pattern: "D=F", text: "TO_F64_F32(D, A)"},
	{op: "to_f32", dtypes: "f64", pattern: "F=D", text: "TO_F32_F64(D, A)"},
}

// kernelRow describes a kernel: the file under stencils/src that defines the
// function, and how many registers for its type it takes and gives.
type kernelRow struct {
	op, dtype, symbol, file string
	args, results           int
}

var kernelRows = []kernelRow{
	{"sin", "f32", "cf_sin", "kernels/f32/sin.c", 1, 1},
	{"cos", "f32", "cf_cos", "kernels/f32/cos.c", 1, 1},
	{"sincos", "f32", "cf_sincos", "kernels/f32/sincos.c", 1, 2},
	{"tan", "f32", "cf_tan", "kernels/f32/tan.c", 1, 1},
	{"asin", "f32", "cf_asin", "kernels/f32/asin.c", 1, 1},
	{"acos", "f32", "cf_acos", "kernels/f32/acos.c", 1, 1},
	{"atan", "f32", "cf_atan", "kernels/f32/atan.c", 1, 1},
	{"exp", "f32", "cf_exp", "kernels/f32/exp.c", 1, 1},
	{"log", "f32", "cf_log", "kernels/f32/log.c", 1, 1},
	{"exp2", "f32", "cf_exp2", "kernels/f32/exp2.c", 1, 1},
	{"expm1", "f32", "cf_expm1", "kernels/f32/expm1.c", 1, 1},
	{"sinh", "f32", "cf_sinh", "kernels/f32/sinh.c", 1, 1},
	{"cosh", "f32", "cf_cosh", "kernels/f32/cosh.c", 1, 1},
	{"tanh", "f32", "cf_tanh", "kernels/f32/tanh.c", 1, 1},
	{"log2", "f32", "cf_log2", "kernels/f32/log2.c", 1, 1},
	{"log10", "f32", "cf_log10", "kernels/f32/log10.c", 1, 1},
	{"log1p", "f32", "cf_log1p", "kernels/f32/log1p.c", 1, 1},
	{"cbrt", "f32", "cf_cbrt", "kernels/f32/cbrt.c", 1, 1},
	{"pow", "f32", "cf_pow", "kernels/f32/pow.c", 2, 1},
	{"atan2", "f32", "cf_atan2", "kernels/f32/atan2.c", 2, 1},
	{"hypot", "f32", "cf_hypot", "kernels/f32/hypot.c", 2, 1},
	{"fmod", "f32", "cf_fmod", "kernels/exact/fmod.c", 2, 1},
	{"floordiv", "f32", "cf_floordiv", "kernels/exact/floordiv.c", 2, 1},
	{"mod", "f32", "cf_mod", "kernels/exact/mod.c", 2, 1},

	{"exp", "f64", "cf64_exp", "kernels/f64/exp.c", 1, 1},
	{"exp2", "f64", "cf64_exp2", "kernels/f64/exp2.c", 1, 1},
	{"expm1", "f64", "cf64_expm1", "kernels/f64/expm1.c", 1, 1},
	{"sinh", "f64", "cf64_sinh", "kernels/f64/sinh.c", 1, 1},
	{"cosh", "f64", "cf64_cosh", "kernels/f64/cosh.c", 1, 1},
	{"tanh", "f64", "cf64_tanh", "kernels/f64/tanh.c", 1, 1},
	{"log", "f64", "cf64_log", "kernels/f64/log.c", 1, 1},
	{"log2", "f64", "cf64_log2", "kernels/f64/log2.c", 1, 1},
	{"log10", "f64", "cf64_log10", "kernels/f64/log10.c", 1, 1},
	{"log1p", "f64", "cf64_log1p", "kernels/f64/log1p.c", 1, 1},
	{"pow", "f64", "cf64_pow", "kernels/f64/pow.c", 2, 1},
	{"sin", "f64", "cf64_sin", "kernels/f64/sin.c", 1, 1},
	{"cos", "f64", "cf64_cos", "kernels/f64/cos.c", 1, 1},
	{"tan", "f64", "cf64_tan", "kernels/f64/tan.c", 1, 1},
	{"atan", "f64", "cf64_atan", "kernels/f64/atan.c", 1, 1},
	{"atan2", "f64", "cf64_atan2", "kernels/f64/atan2.c", 2, 1},
	{"asin", "f64", "cf64_asin", "kernels/f64/asin.c", 1, 1},
	{"acos", "f64", "cf64_acos", "kernels/f64/acos.c", 1, 1},
	{"cbrt", "f64", "cf64_cbrt", "kernels/f64/cbrt.c", 1, 1},
	{"hypot", "f64", "cf64_hypot", "kernels/f64/hypot.c", 2, 1},
	{"sincos", "f64", "cf64_sincos", "kernels/f64/sincos.c", 1, 2},
	{"fmod", "f64", "cf_fmod64", "kernels/exact/fmod64.c", 2, 1},
	{"floordiv", "f64", "cf_floordiv64", "kernels/exact/floordiv64.c", 2, 1},
	{"mod", "f64", "cf_mod64", "kernels/exact/mod64.c", 2, 1},
}

// textFiles are the sources whose functions the rows use.
var textFiles = []string{"machine.c", "float.c", "integer.c", "compare.c", "cast.c", vectorFile, wideVectorFile}

// softFiles are those of cores without float registers.
var softFiles = []string{"machine.c", "integer.c", "compare.c", "soft.c"}

// vectorFile and wideVectorFile are left out where there are no vectors.
const (
	vectorFile     = "vector.c"
	wideVectorFile = "vector8.c"
)

// doubleFile is another one where the architecture has doubles.
const doubleFile = "double.c"

// double reports whether the row works on doubles.
func (r *row) double() bool { return strings.Contains(r.pattern, "D") }

// moved reports whether the row is a call that moves doubles to where kernels take them,
// from registers of their own.
func (r *row) moved() bool { return r.op == "call" && r.dtypes != "" }

func (r *row) String() string { return fmt.Sprintf("%s %s", r.op, r.dtypes) }
