package esp32c3

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator/rv32"
	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

// Where programs lie.
const (
	codeAt = instructionBus + 0x1_0000
	loadAt = dataBus + 0x1_0000
	// resultAt is where programs leave what they found, in words.
	resultAt = dataBus + 0x2_0000
)

func imageOf(p *rv.Program) Image { return Image{Entry: codeAt, Address: loadAt, Data: p.Bytes()} }

// quiet begins a program: it switches off the watchdogs that the boot ROM leaves running.
func quiet() *rv.Program {
	p := new(rv.Program)
	p.Store(0x600080a8, watchdogKey).Store(0x60008090, 0)
	p.Store(0x600080b0, swdKey).Store(0x600080ac, 300<<18|swdDisable)
	return p.Store(0x6001f064, watchdogKey).Store(0x6001f048, mwdtUpdate)
}

// fast has the CPU run at 160 MHz, the peripheral bus at 80 MHz.
func fast(p *rv.Program) *rv.Program { return p.Store(0x600c0008, 0xd).Store(0x600c0058, 1<<10) }

// boot makes a chip of a program.
func boot(t testing.TB, p *rv.Program) *Chip {
	t.Helper()
	c, err := New(imageOf(p))
	require.NoError(t, err)
	return c
}

// result reads the word of this number at resultAt.
func (c *Chip) result(n uint32) uint32 {
	at := resultAt + 4*n - dataBus
	return binary.LittleEndian.Uint32(c.sram[at/rv32.PageSize].Data[at%rv32.PageSize:])
}
