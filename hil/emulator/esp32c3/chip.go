// Package esp32c3 simulates an ESP32-C3 as far as the runner uses it: its core (package rv32), memories, clocks, watchdogs, system
// timer, interrupt matrix, and USB Serial/JTAG with a host at the other end.
//
// It is strict: what a chip lets pass, or answers by chance, is a complaint. Registers and the values that they have after reset are
// those of esp-idf's headers components/soc/esp32c3/register/soc/*_reg.h; what is said of behaviour beside them names its source.
//
// Time is counted in instructions, one to a cycle of the clock that the CPU has selected.
package esp32c3

import (
	"fmt"
	"sync"
	"time"

	"github.com/copaflash/copaflash/hil/emulator/rv32"
)

// Memories. SRAM1 is seen on two buses, of which that for instructions takes data by aligned words only (ESP32-C3 Technical Reference
// Manual, chapter "System and Memory").
const (
	dataBus        = 0x3fc8_0000
	instructionBus = 0x4038_0000
	sram1Size      = 0x6_0000
	rtcRAM         = 0x5000_0000
	rtcRAMSize     = 0x2000
)

// Periods are in ps, of which all clocks of the chip have a whole number.
const (
	second = 1_000_000_000_000
	never  = ^uint64(0)

	xtalPeriod = second / 40_000_000
)

// A device does something by itself.
type device interface {
	// reset is what a reset of the digital core does; registers have been reset before.
	reset()
	// advance does what was due until now, and tells when something is due next, at the earliest after now.
	advance(now uint64) (next uint64)
}

// A Chip is one with its image in flash memory. Its methods may be used by several goroutines.
type Chip struct {
	mu    sync.Mutex
	image Image
	cpu   *rv32.CPU
	sram  []*rv32.Page
	rtc   []*rv32.Page

	blocks  [(peripheralsEnd - peripherals + blockSize - 1) / blockSize]*block // by address
	devices []device
	system  system
	control rtcControl
	timers  [2]*watchdog // of the timer groups
	clock   *sysTimer
	matrix  *matrix
	usb     *usb
	pins    pins

	// Time runs with the cycles of the CPU, from these on.
	since, sinceCycles uint64
	period             uint64 // of a cycle
	end                uint64 // of the slice that is being run

	counters [2]counter
	// handOver is what the boot ROM does of each device before the image runs.
	handOver []func()
	hung     bool       // see Hang
	pending  resetCause // 0: none
	resets   []resetCause
	said     []string
	seed     uint32
	host     host
}

// New returns a chip with an image in its flash memory, whose boot ROM has just handed over to it after power-up.
func New(image Image) (*Chip, error) {
	if err := image.check(); err != nil {
		return nil, fmt.Errorf("esp32c3: %w", err)
	}
	c := &Chip{image: image, period: 2 * xtalPeriod, seed: 1, host: host{open: true}}
	c.cpu = rv32.New(c, c.csrs())
	c.sram = c.memory(sram1Size)
	c.cpu.Map(dataBus, c.sram, rv32.Access{})
	c.cpu.Map(instructionBus, c.sram, rv32.Access{Code: true, Words: true})
	c.rtc = c.memory(rtcRAMSize)
	c.cpu.Map(rtcRAM, c.rtc, rv32.Access{Code: true})
	c.addSystem()
	c.addControl()
	c.addTimerGroups()
	c.addSysTimer()
	c.addUSB()
	c.addPins()
	c.addLEDC()
	c.addRest()
	c.addMatrix()
	c.start(powerOn)
	return c, nil
}

// memory holds anything after power-up.
func (c *Chip) memory(size int) []*rv32.Page {
	pages := make([]*rv32.Page, size/rv32.PageSize)
	for i := range pages {
		pages[i] = &rv32.Page{}
		c.scribble(pages[i].Data[:])
	}
	return pages
}

func (c *Chip) scribble(data []byte) {
	for i := range data {
		data[i] = byte(c.random())
	}
}

// Seed makes random numbers others than those of other chips; not 0.
func (c *Chip) Seed(seed uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed = seed
}

// random is a xorshift generator.
func (c *Chip) random() uint32 {
	c.seed ^= c.seed << 13
	c.seed ^= c.seed >> 17
	c.seed ^= c.seed << 5
	return c.seed
}

// now is the time since power-up.
func (c *Chip) now() uint64 { return c.since + (c.cpu.Cycles-c.sinceCycles)*c.period }

// cyclesAt is the first cycle at which a time has come.
func (c *Chip) cyclesAt(when uint64) uint64 {
	if when <= c.since {
		return c.sinceCycles
	}
	return c.sinceCycles + (when-c.since+c.period-1)/c.period
}

// setPeriod changes the clock of the CPU.
func (c *Chip) setPeriod(period uint64) {
	c.since, c.sinceCycles = c.now(), c.cpu.Cycles
	c.period = period
}

// update brings everything up to now, and sets when the CPU has to stop for what comes next.
func (c *Chip) update() (next uint64) {
	now := c.now()
	next = c.end
	for _, d := range c.devices {
		next = min(next, d.advance(now))
	}
	c.cpu.Interrupt = c.matrix.interrupt()
	c.cpu.Limit = c.cyclesAt(next)
	if c.pending != 0 {
		c.cpu.Limit = 0
	}
	return next
}

// run lets the chip run until a time.
func (c *Chip) run(end uint64) {
	for c.end = end; c.now() < end; {
		next := c.update()
		switch {
		case c.pending != 0:
			c.start(c.pending)
		case c.hung || c.cpu.Waiting && c.cpu.Interrupt == 0:
			c.cpu.Cycles = max(c.cpu.Cycles, c.cyclesAt(next))
		default:
			c.cpu.Run()
		}
	}
}

// RunFor lets the chip run for a time of its own, however long that takes.
func (c *Chip) RunFor(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run(c.now() + uint64(d.Nanoseconds())*1000)
}

// maxComplaints bounds what is kept; the first ones say most.
const maxComplaints = 100

// complain records what the firmware did wrong, once.
func (c *Chip) complain(format string, args ...any) {
	text := fmt.Sprintf("%#x: ", c.cpu.PC) + fmt.Sprintf(format, args...)
	for _, said := range c.said {
		if said == text {
			return
		}
	}
	if len(c.said) < maxComplaints {
		c.said = append(c.said, text)
	}
}

// Complaints are what the firmware did wrong, with the address of the instruction.
func (c *Chip) Complaints() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.said...)
}
