package rv32

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Compressed instructions are others in a short form.
func TestCompressed(t *testing.T) {
	for half, word := range map[uint16]uint32{
		0x0001: typeI(0x13, 0, 0, 0),           // c.nop
		0x1fe8: typeI(0x13, 10, 2, 1020),       // c.addi4spn a0, 1020
		0x0048: typeI(0x13, 10, 2, 4),          // c.addi4spn a0, 4
		0x5fe8: typeI(0x2003, 10, 15, 124),     // c.lw a0, 124(a5)
		0x43a8: typeI(0x2003, 10, 15, 64),      // c.lw a0, 64(a5)
		0xdfe8: typeS(0x2023, 15, 10, 124),     // c.sw a0, 124(a5)
		0x157d: typeI(0x13, 10, 10, minus),     // c.addi a0, -1
		0x3ffd: 0xffff_f0ef,                    // c.jal . - 2
		0x557d: typeI(0x13, 10, 0, minus),      // c.li a0, -1
		0x717d: typeI(0x13, 2, 2, minus-15),    // c.addi16sp -16
		0x6105: typeI(0x13, 2, 2, 32),          // c.addi16sp 32
		0x757d: 0xffff_f537,                    // c.lui a0, 0xfffff
		0x817d: typeI(0x5013, 10, 10, 31),      // c.srli a0, 31
		0x857d: typeI(0x4000_5013, 10, 10, 31), // c.srai a0, 31
		0x997d: typeI(0x7013, 10, 10, minus),   // c.andi a0, -1
		0x8d0d: typeR(0x4000_0033, 10, 10, 11), // c.sub
		0x8d2d: typeR(0x4033, 10, 10, 11),      // c.xor
		0x8d4d: typeR(0x6033, 10, 10, 11),      // c.or
		0x8d6d: typeR(0x7033, 10, 10, 11),      // c.and
		0xbffd: 0xffff_f06f,                    // c.j . - 2
		0xdd7d: typeB(0x63, 10, 0, minus-1),    // c.beqz a0, . - 2
		0xfd7d: typeB(0x1063, 10, 0, minus-1),  // c.bnez a0, . - 2
		0x057e: typeI(0x1013, 10, 10, 31),      // c.slli a0, 31
		0x557e: typeI(0x2003, 10, 2, 252),      // c.lwsp a0, 252
		0x8082: typeI(0x67, 0, 1, 0),           // c.jr ra
		0x852e: typeR(0x33, 10, 0, 11),         // c.mv a0, a1
		0x9002: 0x0010_0073,                    // c.ebreak
		0x9502: typeI(0x67, 1, 10, 0),          // c.jalr a0
		0x952e: typeR(0x33, 10, 10, 11),        // c.add a0, a1
		0xdfaa: typeS(0x2023, 2, 10, 252),      // c.swsp a0, 252
	} {
		want := decode(word)
		want.size = 2
		require.Equal(t, want, decodeCompressed(half), "%#x", half)
	}
}

// What is reserved, or of an extension that the core has not, is an illegal instruction, with its bits in mtval.
func TestIllegal(t *testing.T) {
	for _, word := range []uint32{
		0x0000,      // defined to be illegal
		0x0004,      // c.addi4spn of 0
		0x6101,      // c.addi16sp of 0
		0x6501,      // c.lui of 0
		0x9101,      // c.srli by 32 and more
		0x1502,      // c.slli by 32 and more
		0x4002,      // c.lwsp to x0
		0x8002,      // c.jr x0
		0x9c0d,      // c.subw
		0x8000,      // quadrant 0 without a meaning
		0x2108,      // c.fld
		0x6108,      // c.flw
		0xa002,      // c.fsdsp
		0xffff_ffff, // longer than 32 bits
		0x0000_300b, // custom
		0x0000_3003, // ld
		0x0000_6003, // lwu
		0x0000_3023, // sd
		0x1000_202f, // lr.w
		0x0000_2007, // flw
		0xe000_0053, // fmv.x.w
		0x4000_7033, // andn
		0x2000_2033, // sh1add
		0x0600_0033, // add of another funct7
		0x0200_1013, // slli by 32
		0x0000_2063, // a branch that there is not
		0x0000_1067, // jalr of another funct3
		0x1020_0073, // sret
		0x0020_0073, // uret
		0x1200_0073, // sfence.vma
		0x0000_4073, // a CSR instruction that there is not
		0x3040_2073, // mie, which the core has not
		0x3440_2073, // mip
		0x3020_2073, // medeleg
		0x3060_2073, // mcounteren
		0xb000_2073, // mcycle
		0xc000_2073, // cycle
		0xc010_2073, // time
		0xf150_2073, // mconfigptr
		0x1000_2073, // sstatus
		0xf110_1073, // a write of mvendorid, which is only read
		0xf140_e073, // setting bits of mhartid
	} {
		t.Run(fmt.Sprintf("%#x", word), func(t *testing.T) {
			c := newCore(word)
			c.stop = false
			c.step(1)
			require.Equal(t, []string{fmt.Sprintf("exception 2, %#x", word)}, c.notes)
			require.EqualValues(t, base, c.epc)
			require.EqualValues(t, word, c.value)
		})
	}
}

// Only machine mode may return from traps, use its registers, and wait where the core is told so.
func TestPrivileges(t *testing.T) {
	for _, tt := range []struct {
		name  string
		word  uint32
		tw    bool
		legal bool
	}{
		{"mret", 0x3020_0073, false, false},
		{"csrr mstatus", 0x3000_2073, false, false},
		{"csrw mscratch", 0x3400_1073, false, false},
		{"csrr pmpcfg0", 0x3a00_2073, false, false},
		{"csrr mhartid", 0xf140_2073, false, false},
		{"wfi", 0x1050_0073, false, true},
		{"wfi with TW", 0x1050_0073, true, false},
		{"fence.i", 0x0000_100f, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := inUserMode(tt.word)
			if tt.tw {
				c.status |= statusTW
			}
			c.step(1)
			require.Empty(t, c.notes)
			if tt.legal {
				require.EqualValues(t, User, c.Mode)
				return
			}
			require.EqualValues(t, Machine, c.Mode)
			require.EqualValues(t, CauseIllegal, c.cause)
			require.Equal(t, tt.word, c.value)
		})
	}
	c := newCore(0x1050_0073)
	c.status |= statusTW
	c.step(10)
	require.True(t, c.Waiting, "TW does not bind machine mode")
	require.EqualValues(t, 1, c.Cycles, "and then the core sleeps")
}
