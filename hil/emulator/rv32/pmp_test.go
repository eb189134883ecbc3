package rv32

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry of a test: configuration and address in bytes; that of NAPOT is given with its ones.
type entry struct {
	config  uint8
	address uint32
}

func napot(address, size uint32) uint32 { return address>>2 | size>>3 - 1 }

const rwx = pmpRead | pmpWrite | pmpExecute

// What user mode, or machine mode, may read, write and execute, by entries.
func TestPMP(t *testing.T) {
	guard := []entry{{pmpNAPOT, napot(0x1000, 32)}, {pmpTOR | rwx, 0x2000 >> 2}}
	for _, tt := range []struct {
		name    string
		entries []entry
		mode    uint8
		kind    uint8
		address uint32
		size    int
		want    bool
	}{
		{"no entries, user", nil, User, pmpRead, 0x1000, 4, false},
		{"no entries, machine", nil, Machine, pmpExecute, 0x1000, 4, true},
		{"entries are off", []entry{{pmpOff | rwx, napot(0x1000, 32)}}, User, pmpRead, 0x1000, 4, false},
		{"NA4", []entry{{pmpNA4 | pmpRead, 0x1000 >> 2}}, User, pmpRead, 0x1000, 4, true},
		{"NA4, the next word", []entry{{pmpNA4 | pmpRead, 0x1000 >> 2}}, User, pmpRead, 0x1004, 4, false},
		{"NA4, a byte of it", []entry{{pmpNA4 | pmpRead, 0x1000 >> 2}}, User, pmpRead, 0x1003, 1, true},
		{"NA4, another kind", []entry{{pmpNA4 | pmpRead, 0x1000 >> 2}}, User, pmpWrite, 0x1000, 4, false},
		{"NAPOT, the smallest", []entry{{pmpNAPOT | pmpWrite, napot(0x1000, 8)}}, User, pmpWrite, 0x1004, 4, true},
		{"NAPOT, beyond", []entry{{pmpNAPOT | pmpWrite, napot(0x1000, 8)}}, User, pmpWrite, 0x1008, 4, false},
		{"NAPOT, before", []entry{{pmpNAPOT | pmpWrite, napot(0x1000, 8)}}, User, pmpWrite, 0xffc, 4, false},
		{"NAPOT, the end of 32 KB", []entry{{pmpNAPOT | pmpExecute, napot(0x8000, 0x8000)}}, User, pmpExecute, 0xfffc, 4, true},
		{"NAPOT of everything", []entry{{pmpNAPOT | rwx, minus}}, User, pmpRead, minus - 3, 4, true},
		{"TOR from 0", []entry{{pmpTOR | pmpRead, 0x1000 >> 2}}, User, pmpRead, 0, 4, true},
		{"TOR, its top", []entry{{pmpTOR | pmpRead, 0x1000 >> 2}}, User, pmpRead, 0x1000, 4, false},
		{"TOR from the entry before, which is off", []entry{{pmpOff, 0x1000 >> 2}, {pmpTOR | pmpRead, 0x2000 >> 2}}, User, pmpRead, 0x1000, 4, true},
		{"TOR, below", []entry{{pmpOff, 0x1000 >> 2}, {pmpTOR | pmpRead, 0x2000 >> 2}}, User, pmpRead, 0xffc, 4, false},
		{"TOR that ends where it begins", []entry{{pmpOff, 0x1000 >> 2}, {pmpTOR | rwx, 0x1000 >> 2}}, User, pmpRead, 0x1000, 4, false},
		{"the first entry wins", guard, User, pmpRead, 0x101c, 4, false},
		{"behind it the second one does", guard, User, pmpRead, 0x1020, 4, true},
		{"misaligned, both parts in one", guard, User, pmpRead, 0x1021, 4, true},
		{"misaligned, one part in each", guard, User, pmpRead, 0x101e, 4, false},
		{"an access matches an entry in part", []entry{{pmpNA4 | rwx, 0x1000 >> 2}, {pmpNAPOT | rwx, minus}}, User, pmpRead, 0x1000, 8, false},
		{"an entry does not bind the machine", guard, Machine, pmpRead, 0x1000, 4, true},
		{"a locked one does", []entry{{pmpNAPOT | pmpLock, napot(0x1000, 32)}}, Machine, pmpRead, 0x1000, 4, false},
		{"by what it allows", []entry{{pmpNAPOT | pmpLock | pmpRead, napot(0x1000, 32)}}, Machine, pmpRead, 0x1000, 4, true},
		{"not what it does not", []entry{{pmpNAPOT | pmpLock | pmpRead, napot(0x1000, 32)}}, Machine, pmpWrite, 0x1000, 4, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCore()
			for i, e := range tt.entries {
				c.pmp.config[i], c.pmp.address[i] = e.config, e.address
			}
			c.forget()
			c.Mode = tt.mode
			require.Equal(t, tt.want, c.allows(tt.address, tt.size, tt.kind))
			require.Equal(t, tt.want, c.allows(tt.address, tt.size, tt.kind), "a second time")
			c.Mode ^= Machine
			c.allows(tt.address, tt.size, tt.kind)
			c.Mode ^= Machine
			require.Equal(t, tt.want, c.allows(tt.address, tt.size, tt.kind), "after the other mode has asked")
		})
	}
}

// Every address is decided like by a look at all entries, whatever was asked before.
func TestPMPRemembers(t *testing.T) {
	c := newCore()
	c.Mode = User
	for i, e := range []entry{
		{pmpNA4 | pmpRead, 0x40 >> 2}, {pmpNAPOT, napot(0x80, 32)}, {pmpOff, 0}, {pmpTOR | pmpRead, 0xc0 >> 2}, {pmpTOR | pmpWrite, 0x100 >> 2},
	} {
		c.pmp.config[i], c.pmp.address[i] = e.config, e.address
	}
	for _, first := range []uint32{0, 0x40, 0x80, 0xa0, 0xc0, 0xfc} {
		c.forget()
		c.allows(first, 4, pmpRead)
		for a := uint32(0); a < 0x120; a++ {
			want := a < 0x80 || a >= 0xa0 && a < 0xc0
			require.Equal(t, want, c.allows(a, 1, pmpRead), "%#x after %#x", a, first)
		}
	}
}

// The three kinds of access are refused with their own causes; execution at the end of what is open, too.
func TestPMPTraps(t *testing.T) {
	c := inUserMode(0x13)
	c.pmp.config[0], c.pmp.address[0] = pmpNAPOT|pmpRead|pmpExecute, napot(base, 16)
	c.pmp.config[15] = 0
	c.forget()
	c.put(base, typeS(0x2023, 0, 0, 0))
	c.put(base+4, typeI(0x2003, 1, 0, 0))
	c.put(base+12, 0x13)
	for _, tt := range []struct{ pc, cause, value uint32 }{{base, CauseStore, 0}, {base + 4, CauseLoad, 0}, {base + 16, CauseFetch, base + 16}} {
		c.PC, c.Mode = tt.pc, User
		c.step(1)
		require.Equal(t, []uint32{tt.pc, tt.cause, tt.value}, []uint32{c.epc, c.cause, c.value})
	}
	c.PC, c.Mode = base+12, User
	c.step(2)
	require.EqualValues(t, base+16, c.epc, "it runs into the end")
	c.put(base+12, 0x0093_0001) // a short one, and half of a long one
	c.PC, c.Mode = base+12, User
	c.step(2)
	require.EqualValues(t, base+14, c.epc)
	require.EqualValues(t, CauseFetch, c.cause)
	require.Empty(t, c.notes, "what a user does wrong is not the machine's")
}

// A locked entry keeps what it has, and the address that it begins at.
func TestPMPLock(t *testing.T) {
	write := func(c *core, csr, value uint32) {
		c.PC, c.X[1] = base, value
		c.put(base, typeI(0x1073, 0, 1, csr))
		c.step(1)
	}
	c := newCore()
	write(c, 0x3b0, 0x1000)
	write(c, 0x3b1, 0x2000)
	write(c, 0x3a0, uint32(pmpLock|pmpTOR|pmpRead|pmpExecute)<<8)
	write(c, 0x3b0, 1)
	write(c, 0x3b1, 1)
	write(c, 0x3a0, 0x0000_0700)
	require.Equal(t, []uint32{0x1000, 0x2000}, c.pmp.address[:2])
	require.EqualValues(t, pmpLock|pmpTOR|pmpRead|pmpExecute, c.pmp.config[1])
	write(c, 0x3a0, rwx)
	require.EqualValues(t, rwx, c.pmp.config[0], "others are free")
	write(c, 0x3b2, 5)
	require.EqualValues(t, 5, c.pmp.address[2])
	require.Empty(t, c.notes)
}
