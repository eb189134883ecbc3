/* Ops of the machine rather than of the graph: moves, memory, constants, control. */
//@ mov f32 F=F // softfloat: MOV_I32(D, A)
//@ mov i32 bool I=I: MOV_I32(D, A)
//@ ld f32 F= offset: D = ld_f32(base, OFF) // far: LD_F32_FAR(D) // mid: LD_F32_MID(D, OFF) // softfloat: D = ld_i32(base, OFF)
//@ ld i32 bool I= offset: D = ld_i32(base, OFF) // far: LD_I32_FAR(D) // mid: LD_I32_MID(D, OFF)
//@ st f32 =F offset: st_f32(base, OFF, A) // far: ST_F32_FAR(A) // mid: ST_F32_MID(A, OFF) // softfloat: st_i32(base, OFF, A)
//@ st i32 bool =I offset: st_i32(base, OFF, A) // far: ST_I32_FAR(A) // mid: ST_I32_MID(A, OFF)
//@ ld2 f32 =F two needs pairs: LD2_F32(A, OFF) // softfloat none
//@ ld2 f32 =FF two needs couples: LD2_F32(A, B, OFF)
//@ ld2 i32 =II two needs pairs couples: LD2_I32(A, B, OFF)
//@ st2 f32 =F two needs pairs: ST2_F32(A, OFF) // softfloat none
//@ st2 f32 =FF two needs couples: ST2_F32(A, B, OFF)
//@ st2 i32 =II two needs pairs couples: ST2_I32(A, B, OFF)
//@ ldx f32 F=I index: LDX_F32(D, A, OFF) // far: LDX_F32(D, A, hole32()) // mid: LDX_F32_MID(D, A, OFF) // softfloat: LDX_I32(D, A, OFF)
//@ ldx i32 bool I=I index: LDX_I32(D, A, OFF) // far: LDX_I32(D, A, hole32()) // mid: LDX_I32_MID(D, A, OFF)
//@ stx f32 =FI index: STX_F32(A, B, OFF) // far: STX_F32(A, B, hole32()) // mid: STX_F32_MID(A, B, OFF) // softfloat: STX_I32(A, B, OFF)
//@ stx i32 bool =II index: STX_I32(A, B, OFF) // far: STX_I32(A, B, hole32()) // mid: STX_I32_MID(A, B, OFF)
//@ ldp f32 F=I index needs pointers: LDP_F32(D, A, OFF) // far: LDP_F32_FAR(D, A) // softfloat: LDP_I32(D, A, OFF)
//@ ldp i32 bool I=I index needs pointers: LDP_I32(D, A, OFF) // near: LDP_I32_NEAR(D, A, OFF) // far: LDP_I32_FAR(D, A)
//@ stp f32 =FI index needs pointers: STP_F32(A, B, OFF) // far: STP_F32_FAR(A, B) // softfloat: STP_I32(A, B, OFF)
//@ stp i32 bool =II index needs pointers: STP_I32(A, B, OFF) // near: STP_I32_NEAR(A, B, OFF) // far: STP_I32_FAR(A, B)
//@ ldp2 f32 =IF two needs pairs: LDP2_F32(B, A, OFF) // softfloat none
//@ ldp2 f32 =IFF two needs couples: LDP2_F32(B, C, A, OFF)
//@ ldp2 i32 =III two needs pairs couples: LDP2_I32(B, C, A, OFF)
//@ stp2 f32 =IF two needs pairs: STP2_F32(B, A, OFF) // softfloat none
//@ stp2 f32 =IFF two needs couples: STP2_F32(B, C, A, OFF)
//@ stp2 i32 =III two needs pairs couples: STP2_I32(B, C, A, OFF)
//@ pointer i32 I=I needs pointers: POINTER(D, A)
//@ lea i32 I= added needs pointers: LEA(D, OFF) // far: LEA_FAR(D) // mid: LEA_MID(D)
//@ addp i32 I=I added needs pointers: ADDP(D, A, OFF) // near: SUM_NEAR("add", D, A, OFF) // far: ADDP_FAR(D, A)
//@ subp i32 I=I number needs backsteps: SUBP(D, A, OFF) // near: SUM_NEAR("sub", D, A, OFF)
//@ bits f32 I=F needs shifts: D = bits(A) // softfloat: D = A
//@ frombits i32 F=I needs shifts: D = from_bits(A) // softfloat: D = A
//@ imm i32 bool I= literal short: IMM_SHORT(D) // near: IMM_NEAR(D, OFF) // far: IMM(D)
//@ addi i32 I=I tied literal small: ADD_SMALL(D, A) // near: SUM_NEAR("add", D, A, OFF) // far: D = A + hole32()
//@ loop i32 I= steps: LOOP(D) // far: LOOP_FAR(D) // mid: LOOP_MID(D)
//@ count i32 I= steps needs pointers: COUNT(D) // far: COUNT_FAR(D) // mid: COUNT_MID(D)
//@ until i32 I=I steps needs branches: UNTIL(D, A) // far: UNTIL_FAR(D, A)
//@ skipnegative skipnonegative skippositive skipnopositive i32 =I ahead needs branches: {op}(A)
//@ iszero i32 I=I needs branches: IS_ZERO(D, A)
//@ rest i32 I=II jumps needs rests: REST(D, A, B)
//@ restup i32 I=II needs rests: REST_UP(D, A, B)
//@ call = frame: call()
//@ call f64 = frame: call_f64()
//@ call i32 = frame: call_i32()
//@ enter leave = frame: {op}()
//@ save i32 = frame: save_ints()
//@ save f32 = frame: save_floats()
//@ restore i32 = frame: restore_ints()
//@ restore f32 = frame: restore_floats()
#include "stencil.h"

TEXT f32 mov_f32(f32 a) { return a; }
#if defined(__ARM_ARCH_6M__) /* GCC's changes the flags */
#define MOV_I32(d, a) __asm__("mov %0, %1" : "=r"(d) : "r"(a))
#else
#define MOV_I32(d, a) d = a
#endif

TEXT f32 ld_f32(base_ptr base, uintptr_t offset) { return *(const f32_word *)(base + offset - BASE_BIAS); }
TEXT u32 ld_i32(base_ptr base, uintptr_t offset) { return *(const u32_word *)(base + offset - BASE_BIAS); }
TEXT void st_f32(base_ptr base, uintptr_t offset, f32 a) { *(f32_word *)(base + offset - BASE_BIAS) = a; }
TEXT void st_i32(base_ptr base, uintptr_t offset, u32 a) { *(u32_word *)(base + offset - BASE_BIAS) = a; }

/* What differs between instruction sets:
 *   IMM_SHORT, IMM, ADD_SMALL        a constant in a register, an addition of one
 *   LOOP, LOOP_FAR                   add a step and branch back until the limit
 *   COUNT, COUNT_FAR                 subtract 1 and branch back until 0 is left
 *   POINTER, LEA                     base plus index in a register, plus a number (feature "pointers")
 *   ADDP, SUBP, LDP_*, STP_*         which is moved on or back, and words there; where indexed below takes an
 *                                    instruction
 *   *_NEAR                           the same for numbers that short Thumb instructions have room for
 *   call, enter, leave, save_*, restore_*
 *   call_i32                         a call with the first two integer registers and the base as C arguments
 *   indexed, or LDX_* and STX_*      words at base plus index
 *   LD_*_MID, ST_*_MID ...           where there is a middle form
 * Macros write to the pinned register itself, not to a copy: that saves a move, and a loop
 * must have nothing left to do after its branch.
 *
 * void entry(void *data) is enter, then save_ints and save_floats where the program uses
 * allocatable registers of that class which the C ABI preserves; and all of it back. The
 * caller provides the default floating-point mode: to nearest, subnormals kept, NaNs as
 * they come, no traps. */
#if defined(X86)
#include "machine/x86.h"
#elif defined(__aarch64__)
#include "machine/aarch64.h"
#elif defined(__riscv)
#include "machine/riscv.h"
#elif defined(__ARM_ARCH_6M__)
#include "machine/armv6m.h"
#elif defined(__arm__)
#include "machine/arm.h"
#else
#error "machine.c: no immediates, loop, call, enter, leave for this architecture"
#endif

/* Words at an offset that is a 32-bit immediate. */
#if !defined(LD_F32_FAR)
#define LD_F32_FAR(d) d = ld_f32(base, hole32())
#define LD_I32_FAR(d) d = ld_i32(base, hole32())
#define ST_F32_FAR(a) st_f32(base, hole32(), a)
#define ST_I32_FAR(a) st_i32(base, hole32(), a)
#endif

#if !defined(LDX_I32)
#define LDX_F32(d, index, offset) d = ld_f32(indexed(base, index), offset)
#define LDX_I32(d, index, offset) d = ld_i32(indexed(base, index), offset)
#define STX_F32(a, index, offset) st_f32(indexed(base, index), offset, a)
#define STX_I32(a, index, offset) st_i32(indexed(base, index), offset, a)
#endif
