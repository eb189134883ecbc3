package esp32c3

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/esp"
	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

// Each program does one thing wrong, and goes on. What is said begins with an address of code.
func TestComplaints(t *testing.T) {
	const lb, lh, sb = 0x0002_8303, 0x0002_9303, 0x0062_8023 // lb t1, 0(t0); lh t1, 0(t0); sb t1, 0(t0)
	for _, tt := range []struct {
		name string
		do   func(p *rv.Program)
		want string
	}{
		{"no device", func(p *rv.Program) { p.Load(rv.A0, 0x6000_2000) }, "load at 0x60002000, where no device is known"},
		{"no register", func(p *rv.Program) { p.Store(0x6002_3074, 1) }, "store at 0x60023074: SYSTIMER has no such register"},
		{"reserved bits", func(p *rv.Program) { p.Store(0x6002_3064, 0x10) }, "store of 0x10 to SYSTIMER INT_ENA: bits 0x10 are reserved"},
		{"a register that is only read", func(p *rv.Program) { p.Store(0x6002_3068, 1) }, "store to SYSTIMER INT_RAW, which is only read"},
		{"one that is only written", func(p *rv.Program) { p.Load(rv.A0, 0x6002_306c) }, "load of SYSTIMER INT_CLR, which is only written"},
		{"a byte of a register", func(p *rv.Program) { p.LI(rv.T0, 0x6002_3000).Emit(lb) }, "load of 1 bytes at 0x60023000, where registers are"},
		{"a protected watchdog", func(p *rv.Program) { p.Store(0x6001_f064, 0).Store(0x6001_f060, 1) }, "store to TIMG0 WDTFEED, which is protected"},
		{"the RTC's", func(p *rv.Program) { p.Store(0x6000_80a8, 1).Store(0x6000_8090, 0) }, "store to RTC_CNTL WDTCONFIG0, which is protected"},
		{"the super watchdog", func(p *rv.Program) { p.Store(0x6000_80b0, 1).Store(0x6000_80ac, 0) }, "store to RTC_CNTL SWD_CONF, which is protected"},
		{"a configuration that is not taken over", func(p *rv.Program) {
			p.Store(0x6001_f048, 3<<29|mwdtEnable|mwdtUpdate).Store(0x6001_f050, 100).Store(0x6001_f060, 1)
		},
			"TIMG0 is fed, and its configuration at 0x50 was never taken over"},
		{"without a clock", func(p *rv.Program) { p.Store(0x600c_0010, 0).Load(rv.A0, 0x6004_3004) },
			"load at 0x60043004: USB_SERIAL_JTAG is in reset, or without its clock"},
		{"in reset", func(p *rv.Program) { p.Store(0x600c_0018, gateSysTimer).Store(0x6002_3000, 0) },
			"store at 0x60023000: SYSTIMER is in reset, or without its clock"},
		{"LEDC has no clock at first", func(p *rv.Program) { p.Load(rv.A0, 0x6001_9000) }, "load at 0x60019000: LEDC is in reset, or without its clock"},
		{"a byte on the instruction bus", func(p *rv.Program) { p.LI(rv.T0, codeAt).Emit(lb) }, "load of 1 bytes at 0x40390000, the instruction bus"},
		{"half a word", func(p *rv.Program) { p.LI(rv.T0, codeAt+2).Emit(lh) }, "load of 2 bytes at 0x40390002, the instruction bus"},
		{"a store of a byte", func(p *rv.Program) { p.LI(rv.T0, codeAt).Emit(sb) }, "store of 1 bytes at 0x40390000, the instruction bus"},
		{"a word across words", func(p *rv.Program) { p.Load(rv.A0, codeAt+1) }, "load of 4 bytes at 0x40390001, the instruction bus"},
		{"SRAM0", func(p *rv.Program) { p.Load(rv.A0, icache) }, "load of 4 bytes at 0x4037c000, the cache of instructions"},
		{"nothing", func(p *rv.Program) { p.Load(rv.A0, 16) }, "load of 4 bytes at 0x10, nothing"},
		{"which traps", func(p *rv.Program) { p.Load(rv.A0, 16) }, "exception 5 in machine mode, value 0x10"},
		{"execution of data", func(p *rv.Program) { p.LI(rv.T0, loadAt).Emit(0x0002_8067 /* jr t0 */) }, "execution at 0x3fc90000, nothing"},
		{"a call of the ROM", func(p *rv.Program) { p.LI(rv.T0, rom+0x50).Emit(0x0002_8067) }, "execution at 0x40000050, the boot ROM"},
		{"interrupt 0", func(p *rv.Program) { p.Store(0x600c_2104, 1) }, "interrupt 0 is enabled, which there is not"},
		{"no priority", func(p *rv.Program) { p.Store(0x600c_0028, 1).Store(0x600c_20c8, 3).Store(0x600c_2104, 8) },
			"interrupt 3 has priority 0, which is never taken"},
		{"no such clock", func(p *rv.Program) { p.Store(0x600c_0058, 1<<10).Store(0x600c_0008, 0xe) }, "CPU_PER_CONF 0xe: no such clock"},
		{"another PLL", func(p *rv.Program) { p.Store(0x600c_0008, 0x9).Store(0x600c_0058, 1<<10) }, "CPU_PER_CONF 0x9: the PLL runs at 480 MHz"},
		{"the PLL off", func(p *rv.Program) { p.Store(0x6000_8000, 0x1c00_a400) }, "OPTIONS0 0x1c00a400: the PLL is switched off, which USB needs"},
		{"no UPDATE", func(p *rv.Program) { p.Load(rv.A0, 0x6002_3044) }, "a value of SYSTIMER is read before it is valid"},
		{"UPDATE without patience", func(p *rv.Program) {
			fast(p).Store(0x6002_3004, 1<<30).Load(rv.A0, 0x6002_3044)
		}, "a value of SYSTIMER is read before it is valid"},
		{"a period of 0", func(p *rv.Program) { p.Store(0x6002_3034, 1<<30).Store(0x6002_3050, 1) }, "comparator 0 of SYSTIMER has a period of 0"},
		{"no byte", func(p *rv.Program) { p.Load(rv.A0, 0x6004_3000) }, "a byte is read from USB where there is none"},
		{"no room", func(p *rv.Program) { p.Store(0x6004_3004, 1).Store(0x6004_3000, 1) }, "a byte is written to USB where there is no room"},
		{"no counter", func(p *rv.Program) { p.CSRR(rv.A0, 0x7e2) }, "mpccr is read, and counts nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := quiet()
			p.Store(0x6001_f064, watchdogKey)
			tt.do(p)
			p.Loop()
			c := boot(t, p)
			c.RunFor(100 * time.Microsecond)
			found := false
			for _, said := range c.Complaints() {
				require.Regexp(t, "^0x", said)
				found = found || len(said) > len(tt.want) && said[len(said)-len(tt.want):] == tt.want
			}
			require.True(t, found, "want %q of %q", tt.want, c.Complaints())
		})
	}
}

// What is said is said once, and not without end.
func TestComplaintsAreBounded(t *testing.T) {
	p := quiet()
	top := p.Here()
	p.Load(rv.A0, 0x6000_2000).J(top)
	c := boot(t, p)
	c.RunFor(time.Millisecond)
	require.Len(t, c.Complaints(), 1)

	p = quiet()
	p.LI(rv.T2, 0x6000_2000)
	top = p.Here()
	p.LW(rv.A0, 0, rv.T2).ADDI(rv.T2, rv.T2, 4).J(top)
	c = boot(t, p)
	c.RunFor(time.Millisecond)
	require.Len(t, c.Complaints(), maxComplaints)
}

// An image has to fit what the boot ROM does.
func TestImages(t *testing.T) {
	good := Image{Entry: codeAt, Address: loadAt, Data: make([]byte, 16)}
	require.NoError(t, good.check())
	for _, tt := range []struct {
		name string
		edit func(*Image)
		want string
	}{
		{"empty", func(i *Image) { i.Data = nil }, "without bytes"},
		{"odd", func(i *Image) { i.Data = make([]byte, 15) }, "loads words"},
		{"low", func(i *Image) { i.Address = dataBus - 4 }, "want one from"},
		{"over the ROM's stack", func(i *Image) { i.Address, i.Entry = romStack-12, romStack-12+instructionBus-dataBus }, "want one from"},
		{"entry before", func(i *Image) { i.Entry -= 4 }, "entry"},
		{"entry behind", func(i *Image) { i.Entry += 16 }, "entry"},
		{"entry on the data bus", func(i *Image) { i.Entry = loadAt }, "entry"},
	} {
		i := good
		tt.edit(&i)
		_, err := New(i)
		require.ErrorContains(t, err, tt.want, tt.name)
	}
}

// Flash memory has the image of esptool, for this chip, in one segment.
func TestFromFlash(t *testing.T) {
	p := quiet().Loop()
	content, err := esp.Encode(ChipID, codeAt, loadAt, p.Bytes())
	require.NoError(t, err)
	got, err := FromFlash(append(content, 0xff, 0xff))
	require.NoError(t, err)
	require.Equal(t, imageOf(p), got)

	content[len(content)-1] ^= 1
	_, err = FromFlash(content)
	require.ErrorContains(t, err, "digest")
	other, err := esp.Encode(9, codeAt, loadAt, p.Bytes())
	require.NoError(t, err)
	_, err = FromFlash(other)
	require.ErrorContains(t, err, "an image for chip 9, want 5")
	two := binary.LittleEndian.AppendUint64(append([]byte{}, other[:24+8+len(p.Bytes())]...), loadAt) // and a segment without bytes
	two[1], two[12] = 2, ChipID
	sum := byte(0xef)
	for _, b := range p.Bytes() {
		sum ^= b
	}
	two = append(append(two, make([]byte, 15-len(two)%16)...), sum)
	digest := sha256.Sum256(two)
	_, err = FromFlash(append(two, digest[:]...))
	require.ErrorContains(t, err, "2 segments, want 1")
}
