//go:build linux || darwin

#include "textflag.h"

// func flush(start, end uintptr)
//
// By the shortest cache line of the architecture, which is right everywhere.
TEXT ·flush(SB), NOSPLIT, $0-16
	MOVD start+0(FP), R0
	MOVD end+8(FP), R1
	MOVD R0, R2

clean:
	WORD $0xd50b7b22         // dc cvau, x2
	ADD  $16, R2
	CMP  R1, R2
	BLO  clean
	WORD $0xd5033b9f         // dsb ish

drop:
	WORD $0xd50b7520         // ic ivau, x0
	ADD  $16, R0
	CMP  R1, R0
	BLO  drop
	WORD $0xd5033b9f         // dsb ish
	WORD $0xd5033fdf         // isb
	RET
