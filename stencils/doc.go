// Package stencils holds the precompiled machine code of every operation and
// fills in its holes.
//
// A stencil is the code that GCC made for one operation with its operands
// pinned to machine registers. The builder (package stencils/build) compiles
// sampled register and offset combinations, works out which bits of the code
// depend on which operand, and stores one merged template; this package turns
// a template back into code at tens of nanoseconds per operation.
//
// The package knows machine code and the numbers of the protocol (package packet),
// and nothing else: it must not import any package of compiler or firmware.
//
// # Register model
//
// Operands are virtual registers of two classes, [Float] and [Int], numbered
// from 0. Each is one machine register; [Library.Regs] gives the counts. One
// further register, never allocated, points to the start of the data block.
//
//   - A Float register holds one float32.
//   - An Int register holds 32 bits: an int32, or a bool as 0 or 1. Bits above 31
//     are internal to this package.
//   - A [Vector] register is the Float register of the same number with four or
//     eight float32: lane 0 is that of the Float register. A stencil on Float
//     registers leaves the other lanes of its result undefined.
//   - Data words are little endian, 4 bytes, at a non-negative multiple of 4
//     from the data base; a bool is a word of 0 or 1.
//
// A stencil changes its result register, and nothing else that is allocated;
// the condition flags are live only from a test to its picks. Integer division and
// shifts also set bits of the sticky flag word at offset 0 of the data block.
//
// # Names
//
// A stencil is found by op, dtype and form. The op is a name of the graph's op
// table ("add", "lt", "to_i32", "select" ...) or a machine op:
//
//	mov        d = a
//	ld  st     d = word at imm; word at imm = a
//	ld2 st2    a, b = the words at imm and imm + 4; these words = a, b: of two different registers, or where there is
//	           no b, of an even Float one, a, and the one behind it. Imm is at most MaxImm, and the load changes
//	           registers that count as sources elsewhere
//	ldx stx    d = word at (a + imm); word at (b + imm) = a; the Int register is
//	           an unsigned byte offset from the data base
//	pointer    d = the data base + a, which may take more than 32 bits
//	lea        d = the data base + imm, likewise
//	addp       d = a + imm, of pointers
//	subp       d = a - imm, likewise, where imm is part of an instruction
//	ldp stp    ldx and stx with a pointer in the place of the offset
//	ldp2 stp2  b, c = the values at (a + imm) and behind that; the values there = b, c: of registers as in ld2, other than a. Imm is
//	           a multiple of a value's size, and otherwise as in ld2 and st2
//	splat      d = copies of the word at imm (f32x4, f32x8)
//	splatx     d = copies of the word at (a + imm) (f32x4, f32x8); splatp by a pointer (f32x4)
//	addx subx mulx
//	           d = a op what ldx gives at (b + imm) (f32x8)
//	muls       d = a times lane 0 of b (f32x4)
//	mullane    d = a times lane imm of b, 0 to 3 (f32x4)
//	fold4      d = a0 + a4, a1 + a5, a2 + a6, a3 + a7, and the same of b (f32x8)
//	fold2      d = a0 + a2, a1 + a3, b0 + b2, b1 + b3 (f32x4, and each half of f32x8)
//	fold1      d = a0 + a1, a2 + a3, b0 + b1, b2 + b3 (likewise)
//	even odd   d = every other lane of a, from the first or the second on, and of b (f32x4, f32x8)
//	masklt maskle maskgt maskge maskeq maskne
//	           d = all ones in the lanes where the comparison holds, 0 elsewhere (f32x4, i32x4)
//	choose     d = b in the lanes where a, such a mask, is set, and c elsewhere (f32x4, i32x4, boolx4)
//	weavelow weavehigh
//	           d = the first two lanes of a and b in turn, or the last two (f32x4)
//	even4 odd4 weavelow4 weavehigh4
//	           the same in each half (f32x8)
//	lowhalves highhalves
//	           d = the first half of a and that of b, or the last halves (f32x8)
//	everyx2 everyx3 everyx4
//	           d and the registers behind it = every other, third or fourth word from (a + imm) on, the first one that
//	           starts there in d (f32x4); everyp2 and so on by a pointer
//	reverse    d = the lanes of a from last to first (f32x4, f32x8)
//	imm        d = imm (i32)
//	addi       d = a + imm (i32, wraps)
//	shli shri ushri
//	           d = a shifted by imm, 1 to 31: to the left, with copies of the sign, with zeros
//	           (i32; the first two on lanes, too)
//	shlp       d = the pointer to the offset a shifted to the left by imm, 1 to 4
//	addshl subshl andshl orshl xorshl, and with shr and ushr behind the name
//	           d = a op b shifted by imm as by shli, shri and ushri
//	muladd mulsub
//	           d = a + b * c, a - b * c (i32, i32x4)
//	quotient   d = a / b toward zero (i32); a / 0 = 0, and the least integer / -1 is that
//	absdiff    d = abs(a - b) (f32, f32x4)
//	addby subby
//	           d = a + imm, a - imm (i32, wraps), where imm is part of an instruction, as below
//	andby orby xorby
//	           d = a & imm, a | imm, a ^ imm (i32)
//	ltby geby eqby neby
//	           d = 1 where a < imm, a >= imm, a = imm, a != imm, else 0 (i32)
//	spread     d = all ones where bit imm of a is set, else 0
//	ssat usat  d = the integer from -2^imm, or from 0, to 2^imm - 1 that is nearest to a (i32)
//	shlp       d = the pointer to a shifted to the left by imm, 1 to 31 (i32)
//	row        d = the offset of the row of a table that index a takes, imm being its rows and their
//	rowup      size (src/row.h); rowup for a >= 0, row2 and rowup2 for a power of two of rows; with a
//	           p behind the name, a pointer
//	below      d = the largest float below a
//	bits       d = the bits of a (f32)
//	frombits   d = the float with the bits a (i32)
//	fromint    d = the float that the integer is whose bits a holds (f32)
//	toint      d = the bits of the integer that a becomes (f32)
//	floortoi ceiltoi roundtoi
//	           d = the integer, by the cast, of the floor, the ceiling, the nearest integer of a (f32)
//	key        d = a, the bits below the sign inverted where that is set (i32): for the bits of
//	           a float an integer of the same order, and for that the bits
//	lesser greater
//	           d = a where a < b, a > b; b elsewhere, for zeros of both signs and NaNs, too (f32 and lanes)
//	ltm lem eqm nem gtm ngtm
//	           d = all ones where a < b, a <= b, a = b, a != b, a > b, not a > b; zeros elsewhere
//	           (f32 and lanes)
//	selm       d = b where a, such a mask, is ones, c elsewhere
//	keepm dropm
//	           d = b where a, such a mask, is ones, or where it is zeros; zero elsewhere
//	flaglt flagle flageq
//	           d = an integer that is negative where a < b, a <= b, a = b (f32)
//	ifflag     d = b where a is negative, c elsewhere
//	test       compares a with b, for the picks behind it: only mov, put, ld, st, ld2, st2 and pointer
//	           may lie between them
//	testby     the same of a with imm
//	keepflags backflags
//	           stand around a load or store between a test and its picks that is beyond the reach of the
//	           shortest code, on architectures where that changes the flags
//	pickgt pickge pickeq
//	           d = a where the first was greater, no less, equal; b elsewhere
//	put        d = imm
//	putgt putge puteq putle putlt putne
//	           d = imm where the first was greater, no less, equal, or not so; a elsewhere
//	skip       branches ahead; see [Stencil.FixBranch]
//	skipgt skipge skipeq skiple skiplt skipne
//	           branches ahead where the first was greater, no less, equal, or not so
//	skipzero skipany
//	           the same where a is 0, or anything else
//	skipless skipnoless skipequal skipother
//	           the same where a < b, a >= b, a = b, a != b (i32)
//	skipnegative skipnonegative skippositive skipnopositive
//	           the same where a < 0, a >= 0, a > 0, a <= 0 (i32)
//	iszero     d = a == 0 (i32)
//	rest restup
//	           d = a % b, for b > 0; the latter for a >= 0 (i32)
//	minnum maxnum
//	           d = the smaller or larger number, -0 below +0: a NaN only where both are (f32)
//	shrback    d = a shifted to the right by 32 - imm, with copies of the sign (i32x4)
//	addshrback d = a + b, shifted like that (i32x4)
//	narrow     clears lanes 4 to 7 of all registers (f32x8); without it, other
//	           stencils are slow after code on eight lanes
//	loop       d += step; branch while d != limit (i32); see [Stencil.EmitLoop]
//	until      branch while d != a (i32); likewise
//	count      d -= 1; branch while d != 0 (i32); step and limit do not count
//	call       call a kernel; see [Stencil.FixBranch]. The one of "f64" moves doubles
//	           to the registers in which kernels take them, where that is needed
//	enter      entry code `void entry(void *data)`: saves the registers that every program
//	           changes, the data base among them, and sets the data base
//	leave      undoes enter and returns
//
// The dtype is that of the operands: comparisons of f32 are found under "f32"
// though their result is a bool, and casts under the dtype they convert from.
// The dtypes "f32x4" and "f32x8" are four and eight neighbouring float32 in a Vector
// register; ld, st, ldx and stx move 16 and 32 bytes then, at any multiple of 4. Those
// of "i32" and "bool" have ops of their own, and move in the same way.
// Machine ops without operands (call, enter, leave) have the dtype "".
// Some stencils need a feature beyond the architecture's base ([Stencil.Feature]);
// [Library.Find] returns them only for processors that have it.
// Operands go to [Stencil.Emit] in the order of the op's arguments: a, b, c;
// select takes the condition as a: anything but 0 is true, for doubles and lanes 1.
package stencils
