package esp32c3

import "github.com/copaflash/copaflash/hil/emulator/rv32"

// MAC is the address in the eFuses of the chip, 02:c0:ba:00:00:c3.
const (
	macLow  = 0xba00_00c3
	macHigh = 0x02c0
)

// addRest adds what is small: eFuses, the generator of random numbers.
func (c *Chip) addRest() {
	rows := []register{}
	for offset := uint32(0x2c); offset < 0x180; offset += 4 {
		value := map[uint32]uint32{0x44: macLow, 0x48: macHigh}[offset]
		rows = append(rows, register{offset: offset, name: "RD", reset: value, ro: ^uint32(0)})
	}
	c.add(&block{name: "EFUSE", base: 0x6000_8800, gate: gateEFuse}, rows...)
	c.add(&block{name: "SYSCON", base: 0x6002_6000},
		register{offset: 0x0b0, name: "RND_DATA", ro: ^uint32(0), load: c.random})
}

// A counter is the performance counter of the core, which counts cycles here, whatever it was told to.
type counter struct {
	events, mode uint32 // mpcer, mpcmr
	value        uint32
	since        uint64 // cycles, when it runs
}

func (n *counter) runs() bool { return n.events != 0 && n.mode&1 != 0 }

// now is the count at a number of cycles.
func (n *counter) now(cycles uint64) uint32 {
	if !n.runs() {
		return n.value
	}
	return n.value + uint32(cycles-n.since)
}

// csrs are the core's own, besides those of package rv32: two counters, of which a program in user mode has the second, triggers, which
// are not modelled, and pins; espressif/qemu's target/riscv/esp_cpu.c.
func (c *Chip) csrs() map[uint16]rv32.CSR {
	csrs := map[uint16]rv32.CSR{
		0x7a0: kept(7),          // tselect
		0x7a1: kept(0),          // tdata1
		0x7a2: kept(0xffffffff), // tdata2
		0x7a5: kept(0),          // tcontrol
		0x803: kept(0xff),       // cpu_gpio_oen
		0x804: kept(0),          // cpu_gpio_in
		0x805: kept(0xff),       // cpu_gpio_out
	}
	c.counts(csrs, 0x7e0, &c.counters[0])
	c.counts(csrs, 0x800, &c.counters[1])
	return csrs
}

// kept is a register that keeps the bits of a mask.
func kept(mask uint32) rv32.CSR {
	value := uint32(0)
	return rv32.CSR{Read: func(*rv32.CPU) uint32 { return value }, Write: func(_ *rv32.CPU, v uint32) { value = v & mask }}
}

// counts adds the three registers of a counter.
func (c *Chip) counts(csrs map[uint16]rv32.CSR, first uint16, n *counter) {
	change := func(set func(v uint32)) func(*rv32.CPU, uint32) {
		return func(cpu *rv32.CPU, v uint32) {
			n.value = n.now(cpu.Cycles)
			n.since = cpu.Cycles
			set(v)
		}
	}
	csrs[first] = rv32.CSR{
		Read:  func(*rv32.CPU) uint32 { return n.events },
		Write: change(func(v uint32) { n.events = v & 0x7ff }),
	}
	csrs[first+1] = rv32.CSR{
		Read:  func(*rv32.CPU) uint32 { return n.mode },
		Write: change(func(v uint32) { n.mode = v & 3 }),
	}
	csrs[first+2] = rv32.CSR{
		Read: func(cpu *rv32.CPU) uint32 {
			if !n.runs() && cpu.Mode == rv32.Machine {
				c.complain("mpccr is read, and counts nothing")
			}
			return n.now(cpu.Cycles)
		},
		Write: change(func(v uint32) { n.value = v }),
	}
}
