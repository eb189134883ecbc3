#include "textflag.h"

// Each loop has a body of four registers and one of one. Comparing two registers tells of a NaN in either.

#define BODY(COMPARE) \
	MOVQ to+0(FP), DI; \
	MOVQ from+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	VXORPS Y0, Y0, Y0; \
	SUBQ $128, CX; \
	JLT  rest; \
four: \
	VMOVUPS (SI), Y1; \
	VMOVUPS 32(SI), Y2; \
	VMOVUPS 64(SI), Y3; \
	VMOVUPS 96(SI), Y4; \
	VMOVUPS Y1, (DI); \
	VMOVUPS Y2, 32(DI); \
	VMOVUPS Y3, 64(DI); \
	VMOVUPS Y4, 96(DI); \
	COMPARE $3, Y2, Y1, Y1; \
	COMPARE $3, Y4, Y3, Y3; \
	VORPS   Y1, Y3, Y3; \
	VORPS   Y3, Y0, Y0; \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ $128, CX; \
	JGE  four; \
rest: \
	ADDQ $128, CX; \
	JEQ  done; \
one: \
	VMOVUPS (SI), Y1; \
	VMOVUPS Y1, (DI); \
	COMPARE $3, Y1, Y1, Y1; \
	VORPS   Y1, Y0, Y0; \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JNE  one; \
done: \
	VMOVMSKPS Y0, AX; \
	VZEROUPPER; \
	TESTL AX, AX; \
	SETNE nan+24(FP); \
	RET

// func copy32(to, from unsafe.Pointer, n int) (nan bool)
TEXT ·copy32(SB), NOSPLIT, $0-25
	BODY(VCMPPS)

// func copy64(to, from unsafe.Pointer, n int) (nan bool)
TEXT ·copy64(SB), NOSPLIT, $0-25
	BODY(VCMPPD)
