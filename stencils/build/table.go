package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// kernelRow describes a kernel: how many registers for its type it takes and gives, and
// what of stencils/src/kernels computes it: a header, of whose functions the builder makes the
// entry, or a C file that has the entry.
type kernelRow struct {
	op, dtype, symbol string
	file              string
	integer           string // without hardware double; "": file, its arithmetic in integers
	text              string // the result, in C, of a and b; "": the function of the symbol's name
	args, results     int
}

// kernelFolder is that of the files of kernels among the sources.
const kernelFolder = "kernels/"

// entry is the C text of a kernel that the file of the row, a header, has the function
// of. The C name differs from the function's; the symbol does not.
func (r *kernelRow) entry(file string) string {
	if strings.HasSuffix(file, ".c") {
		return fmt.Sprintf("#include \"%s%s\"\n", kernelFolder, file)
	}
	ctype := map[string]string{"f32": "float", "f64": "double"}[r.dtype]
	parameters, arguments := ctype+" a", "a"
	if r.args == 2 {
		parameters, arguments = parameters+", "+ctype+" b", "a, b"
	}
	text := r.text
	if text == "" {
		text = fmt.Sprintf("%s(%s)", r.symbol, arguments)
	}
	signature := fmt.Sprintf("%s %s(%s)", ctype, strings.Replace(r.symbol, "_", "_entry_", 1), parameters)
	return fmt.Sprintf("#include \"%s%s\"\n\n%s __asm__(\"%s\");\n\n%s { return %s; }\n", kernelFolder, file, signature, r.symbol, signature, text)
}

// writeEntries writes the text of all entries into a folder, for the proofs: TYPE/OP.c.
func writeEntries(dir string) error {
	for _, r := range slices.Concat(kernelRows, softKernels) {
		for _, file := range []string{r.file, r.integer} {
			if file == "" {
				continue
			}
			to := filepath.Join(dir, filepath.Dir(file), r.op+".c")
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(to, []byte(r.entry(file)), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

var kernelRows = []kernelRow{
	{op: "sin", dtype: "f32", symbol: "cf_sin", file: "f32/trig.h", integer: "f32int/trig.h", args: 1, results: 1},
	{op: "cos", dtype: "f32", symbol: "cf_cos", file: "f32/trig.h", integer: "f32int/trig.h", args: 1, results: 1},
	{op: "sincos", dtype: "f32", symbol: "cf_sincos", file: "f32/sincos.c", integer: "f32int/sincos.c", args: 1, results: 2},
	{op: "tan", dtype: "f32", symbol: "cf_tan", file: "f32/trig.h", integer: "f32int/trig.h", args: 1, results: 1},
	{op: "asin", dtype: "f32", symbol: "cf_asin", file: "f32/asin.h", integer: "f32int/atan.h", args: 1, results: 1},
	{op: "acos", dtype: "f32", symbol: "cf_acos", file: "f32/asin.h", integer: "f32int/atan.h", args: 1, results: 1},
	{op: "atan", dtype: "f32", symbol: "cf_atan", file: "f32/atan.h", integer: "f32int/atan.h", args: 1, results: 1},
	{op: "exp", dtype: "f32", symbol: "cf_exp", file: "f32/exp.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "log", dtype: "f32", symbol: "cf_log", file: "f32/log.h", integer: "f32int/log.h", args: 1, results: 1},
	{op: "exp2", dtype: "f32", symbol: "cf_exp2", file: "f32/exp2.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "expm1", dtype: "f32", symbol: "cf_expm1", file: "f32/expm1.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "sinh", dtype: "f32", symbol: "cf_sinh", file: "f32/hyperbolic.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "cosh", dtype: "f32", symbol: "cf_cosh", file: "f32/hyperbolic.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "tanh", dtype: "f32", symbol: "cf_tanh", file: "f32/hyperbolic.h", integer: "f32int/exp.h", args: 1, results: 1},
	{op: "log2", dtype: "f32", symbol: "cf_log2", file: "f32/log2.h", integer: "f32int/log.h", args: 1, results: 1},
	{op: "log10", dtype: "f32", symbol: "cf_log10", file: "f32/log10.h", integer: "f32int/log.h", args: 1, results: 1},
	{op: "log1p", dtype: "f32", symbol: "cf_log1p", file: "f32/log1p.h", integer: "f32int/log.h", args: 1, results: 1},
	{op: "cbrt", dtype: "f32", symbol: "cf_cbrt", file: "f32/cbrt.h", integer: "f32int/root.h", args: 1, results: 1},
	{op: "pow", dtype: "f32", symbol: "cf_pow", file: "f32/pow.h", args: 2, results: 1},
	{op: "atan2", dtype: "f32", symbol: "cf_atan2", file: "f32/atan.h", args: 2, results: 1},
	{op: "hypot", dtype: "f32", symbol: "cf_hypot", file: "f32/hypot.h", args: 2, results: 1},
	{op: "fmod", dtype: "f32", symbol: "cf_fmod", file: "exact/divmod.h", text: "b == 0.0f ? from_bits(INFINITY_BITS | 0x400000u) : fmod_exact(a, b)", args: 2, results: 1},
	{op: "floordiv", dtype: "f32", symbol: "cf_floordiv", file: "exact/divmod.h", text: "floordiv_exact(a, b)", args: 2, results: 1},
	{op: "mod", dtype: "f32", symbol: "cf_mod", file: "exact/divmod.h", text: "mod_exact(a, b)", args: 2, results: 1},

	{op: "exp", dtype: "f64", symbol: "cf64_exp", file: "f64/exp.h", args: 1, results: 1},
	{op: "exp2", dtype: "f64", symbol: "cf64_exp2", file: "f64/exp.h", args: 1, results: 1},
	{op: "expm1", dtype: "f64", symbol: "cf64_expm1", file: "f64/exp.h", args: 1, results: 1},
	{op: "sinh", dtype: "f64", symbol: "cf64_sinh", file: "f64/exp.h", args: 1, results: 1},
	{op: "cosh", dtype: "f64", symbol: "cf64_cosh", file: "f64/exp.h", args: 1, results: 1},
	{op: "tanh", dtype: "f64", symbol: "cf64_tanh", file: "f64/exp.h", args: 1, results: 1},
	{op: "log", dtype: "f64", symbol: "cf64_log", file: "f64/log.h", args: 1, results: 1},
	{op: "log2", dtype: "f64", symbol: "cf64_log2", file: "f64/log.h", args: 1, results: 1},
	{op: "log10", dtype: "f64", symbol: "cf64_log10", file: "f64/log.h", args: 1, results: 1},
	{op: "log1p", dtype: "f64", symbol: "cf64_log1p", file: "f64/log.h", args: 1, results: 1},
	{op: "pow", dtype: "f64", symbol: "cf64_pow", file: "f64/pow.h", args: 2, results: 1},
	{op: "sin", dtype: "f64", symbol: "cf64_sin", file: "f64/trig.h", args: 1, results: 1},
	{op: "cos", dtype: "f64", symbol: "cf64_cos", file: "f64/trig.h", args: 1, results: 1},
	{op: "tan", dtype: "f64", symbol: "cf64_tan", file: "f64/trig.h", args: 1, results: 1},
	{op: "atan", dtype: "f64", symbol: "cf64_atan", file: "f64/atan.h", args: 1, results: 1},
	{op: "atan2", dtype: "f64", symbol: "cf64_atan2", file: "f64/atan.h", args: 2, results: 1},
	{op: "asin", dtype: "f64", symbol: "cf64_asin", file: "f64/atan.h", args: 1, results: 1},
	{op: "acos", dtype: "f64", symbol: "cf64_acos", file: "f64/atan.h", args: 1, results: 1},
	{op: "cbrt", dtype: "f64", symbol: "cf64_cbrt", file: "f64/root.h", args: 1, results: 1},
	{op: "hypot", dtype: "f64", symbol: "cf64_hypot", file: "f64/root.h", args: 2, results: 1},
	{op: "sincos", dtype: "f64", symbol: "cf64_sincos", file: "f64/sincos.c", args: 1, results: 2},
	{op: "fmod", dtype: "f64", symbol: "cf_fmod64", file: "exact/divmod64.h", text: "b == 0.0 ? from_bits64(QUIET_NAN64) : fmod_exact64(a, b)", args: 2, results: 1},
	{op: "floordiv", dtype: "f64", symbol: "cf_floordiv64", file: "exact/divmod64.h", text: "floordiv_exact64(a, b)", args: 2, results: 1},
	{op: "mod", dtype: "f64", symbol: "cf_mod64", file: "exact/divmod64.h", text: "mod_exact64(a, b)", args: 2, results: 1},
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
