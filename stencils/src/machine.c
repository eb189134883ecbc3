/* Ops of the machine rather than of the graph: moves, memory, constants, control. */
#include "stencil.h"

TEXT f32 mov_f32(f32 a) { return a; }
TEXT u32 mov_i32(u32 a) { return a; }

TEXT f32 ld_f32(base_ptr base, uintptr_t offset) { return *(const f32_word *)(base + offset - BASE_BIAS); }
TEXT u32 ld_i32(base_ptr base, uintptr_t offset) { return *(const u32_word *)(base + offset - BASE_BIAS); }
TEXT void st_f32(base_ptr base, uintptr_t offset, f32 a) { *(f32_word *)(base + offset - BASE_BIAS) = a; }
TEXT void st_i32(base_ptr base, uintptr_t offset, u32 a) { *(u32_word *)(base + offset - BASE_BIAS) = a; }

/* What differs between instruction sets:
 *   IMM_SHORT, IMM, ADD_SMALL        a constant in a register, an addition of one
 *   LOOP, LOOP_FAR                   add a step and branch back until the limit
 *   call, enter, leave, save_*, restore_*
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
