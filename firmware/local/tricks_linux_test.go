package local_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A trick is a program that leaves the processor as nobody expects it, and either
// returns so, or faults, or stays: whatever it does, the runner has to answer.
type trick struct {
	name string
	code []byte
}

// loop is a short endless one, in every mode of x86.
var loop = []byte{0xeb, 0xfe}

// flagTricks sets one flag each, and then returns or stays. The bits are those of EFLAGS
// that a program can write, and some that it cannot.
func flagTricks() []trick {
	var all []trick
	for _, f := range []struct {
		name string
		bit  uint
	}{
		{"carry", 0}, {"trap", 8}, {"interrupt", 9}, {"direction", 10}, {"overflow", 11}, {"privilege", 12}, {"nested task", 14},
		{"resume", 16}, {"alignment check", 18}, {"virtual interrupt", 19}, {"identification", 21},
	} {
		bits := uint32(1) << f.bit
		set := []byte{0x9c, 0x81, 0x34, 0x24, byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), 0x9d} // pushf; xorl bits, (sp); popf
		all = append(all,
			trick{f.name + " flag left set", append(append([]byte{}, set...), 0xc3)},
			trick{f.name + " flag in a loop", append(append([]byte{}, set...), loop...)},
			trick{f.name + " flag at a fault", append(append([]byte{}, set...), 0x0f, 0x0b)})
	}
	return all
}

// Of both widths.
var x86Tricks = append([]trick{
	{"sysenter", []byte{0x0f, 0x34}},
	{"syscall", []byte{0x0f, 0x05}},
	{"sysret", []byte{0x0f, 0x07}},
	{"int 0x80 for exit", []byte{0xb8, 1, 0, 0, 0, 0xcd, 0x80, 0xc3}},
	{"int 0x80 for fork", []byte{0xb8, 2, 0, 0, 0, 0xcd, 0x80, 0xc3}},
	{"every interrupt", []byte{0xcd, 0x03, 0xcd, 0xff}},
	{"icebp", []byte{0xf1, 0xc3}},
	{"hlt", []byte{0xf4}},
	{"cli", []byte{0xfa, 0xeb, 0xfe}},
	{"in", []byte{0xe4, 0x60, 0xc3}},
	{"far return to nowhere", []byte{0x6a, 0x00, 0x6a, 0x00, 0xcb}},
	{"interrupt return", []byte{0xcf}},
	{"null ss", []byte{0x31, 0xc0, 0x8e, 0xd0, 0xeb, 0xfe}},
	{"null fs and gs", []byte{0x31, 0xc0, 0x8e, 0xe0, 0x8e, 0xe8, 0xc3}},
	{"null ds and es left", []byte{0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, 0xc3}},
	{"null ds and es in a loop", []byte{0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, 0xeb, 0xfe}},
	{"stack pointer of a loop", []byte{0x31, 0xe4, 0xeb, 0xfe}},
	{"no protection key allowed", []byte{0x31, 0xc9, 0x31, 0xd2, 0x83, 0xc8, 0xff, 0x0f, 0x01, 0xef, 0xeb, 0xfe}},
	{"no protection key allowed, return", []byte{0x31, 0xc9, 0x31, 0xd2, 0x83, 0xc8, 0xff, 0x0f, 0x01, 0xef, 0xc3}},
	{"x87 exception pending", []byte{0x6a, 0x00, 0xd9, 0x2c, 0x24, 0xd9, 0xe8, 0xd9, 0xee, 0xde, 0xf9, 0x58, 0xc3}},
	{"MMX state left", []byte{0x0f, 0xef, 0xc0, 0xc3}},
	{"SSE exceptions allowed", []byte{0x6a, 0x00, 0x0f, 0xae, 0x14, 0x24, 0x58, 0xc3}},
	{"AVX state left", []byte{0xc5, 0xfc, 0x57, 0xc0, 0xc3}},
	{"transaction", []byte{0xc7, 0xf8, 0, 0, 0, 0, 0xeb, 0xfe}},
	{"monitor", []byte{0x0f, 0x01, 0xfa, 0xeb, 0xfe}},
}, flagTricks()...)

var x8664Tricks = append([]trick{
	{"far return to 32 bits", []byte{0x6a, 0x23, 0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0x48, 0xcb, 0xeb, 0xfe}},
	{"far return into the runner in 32 bits", []byte{0x6a, 0x23, 0x68, 0x00, 0x10, 0x40, 0x00, 0x48, 0xcb}},
	{"far return to 64 bits and ss of 32", []byte{0x31, 0xc0, 0xb0, 0x2b, 0x8e, 0xd0, 0xeb, 0xfe}},
	{"vsyscall", []byte{0x48, 0xc7, 0xc0, 0, 0, 0x60, 0xff, 0xff, 0xd0, 0xeb, 0xfe}},
	{"gs base", []byte{0x31, 0xc0, 0xf3, 0x48, 0x0f, 0xae, 0xd8, 0xf3, 0x48, 0x0f, 0xae, 0xd0, 0xc3}},
	{"state restored from data", []byte{0x31, 0xd2, 0x83, 0xc8, 0xff, 0x0f, 0xae, 0x2f, 0xc3}},
	{"FX state restored from data", []byte{0x0f, 0xae, 0x0f, 0xc3}},
}, x86Tricks...)

var x8632Tricks = append([]trick{
	{"far return to 64 bits", []byte{0x6a, 0x33, 0xe8, 0, 0, 0, 0, 0x83, 0x04, 0x24, 0x05, 0xcb, 0xeb, 0xfe}},
	{"far return to 64 bits and a fault", []byte{0x6a, 0x33, 0xe8, 0, 0, 0, 0, 0x83, 0x04, 0x24, 0x05, 0xcb, 0x0f, 0x0b}},
	{"far call", []byte{0x9a, 0, 0, 0, 0, 0x33, 0, 0xc3}},
}, x86Tricks...)

var armTricks = []trick{
	{"flags and rounding left", words(0x92800001, 0xd51b4201, 0xd51b4401, 0xd51b4421, 0xd65f03c0)}, // nzcv, fpcr, fpsr = -1
	{"flags and rounding in a loop", words(0x92800001, 0xd51b4201, 0xd51b4401, 0x14000000)},
	{"speculation bit", words(0xd503413f, 0xd65f03c0)},
	{"tag checks", words(0xd503419f, 0xd65f03c0)},
	{"streaming mode", words(0xd503477f, 0xd65f03c0)},
	{"thread pointer", words(0xd51bd05f, 0xd65f03c0)},
	{"stack pointer of a loop", words(0xd2800001, 0x9100003f, 0x14000000)},
	{"stack pointer not aligned", words(0x910007e1, 0x9100003f, 0xf94003e1)},
	{"wfi", words(0xd503207f, 0x14000000)},
	{"wfe", words(0xd503205f, 0x14000000)},
	{"eret", words(0xd69f03e0)},
	{"hvc", words(0xd4000002)},
	{"brk", words(0xd43e0000)},
	{"exclusive left", words(0xc85f7c01, 0xd65f03c0)},
}

// checkTricks plays every trick twice: what a run leaves behind must not stop the next one either.
func checkTricks(t *testing.T, c *client, tricks []trick, p programs) {
	for _, k := range tricks {
		answered := t.Run(k.name, func(t *testing.T) {
			c.t = t
			for range 2 {
				c.load(k.code)
				for range 3 {
					if c.run(10*time.Millisecond).Fault != nil {
						break
					}
				}
			}
			c.works(p)
		})
		if !answered {
			return // the stream is not in step any more
		}
	}
}

func TestTricks(t *testing.T) {
	switch runtime.GOARCH {
	case "amd64":
		checkTricks(t, start(t), x8664Tricks, x86)
	case "386":
		checkTricks(t, start(t), x8632Tricks, x8632)
	case "arm64":
		checkTricks(t, start(t), armTricks, arm)
	}
}

func TestTricksOfOtherWidth(t *testing.T) {
	if c := otherWidth(t); c != nil {
		checkTricks(t, c, x8632Tricks, x8632)
	}
}

func TestTricksUnderEmulation(t *testing.T) {
	checkTricks(t, underEmulation(t, packet.ArchAarch64, "qemu-aarch64-static"), armTricks, arm)
}
