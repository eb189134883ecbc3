package esp32c3

// Registers of INTERRUPT_CORE0.
const (
	matrixSources  = 62
	matrixStatus   = 0x0f8 // two words
	matrixEnable   = 0x104
	matrixType     = 0x108
	matrixClear    = 0x10c
	matrixPending  = 0x110
	matrixPriority = 0x114 // of interrupt 0
	matrixLimit    = 0x194
	matrixLines    = 32
)

// Sources of interrupts; esp-idf's soc/esp32c3/include/soc/interrupts.h.
const (
	sourceGPIO     = 16
	sourceUSB      = 26
	sourceRTC      = 27
	sourceMWDT0    = 33
	sourceMWDT1    = 35
	sourceSysTimer = 37 // of target 0
	sourceFromCPU  = 50 // the first of four
)

// A matrix leads sources to the interrupts of the CPU.
type matrix struct {
	chip   *Chip
	block  *block
	edges  uint32 // interrupts that a rising edge has left pending
	levels uint32 // of interrupts, as they were seen last
}

func (c *Chip) addMatrix() {
	m := &matrix{chip: c}
	c.matrix = m
	b := &block{name: "INTERRUPT_CORE0", base: 0x600c_2000}
	m.block = b
	rows := []register{
		{offset: matrixStatus, name: "INTR_STATUS_0", ro: ^uint32(0), load: func() uint32 { return uint32(m.sources()) }},
		{offset: matrixStatus + 4, name: "INTR_STATUS_1", ro: ^uint32(0), load: func() uint32 { return uint32(m.sources() >> 32) }},
		{offset: 0x100, name: "CLOCK_GATE", reset: 1, rw: 1},
		{offset: matrixEnable, name: "CPU_INT_ENABLE", rw: ^uint32(0), store: func(value uint32) {
			if value&1 != 0 {
				c.complain("interrupt 0 is enabled, which there is not")
			}
		}},
		all(matrixType, "CPU_INT_TYPE", 0),
		{offset: matrixClear, name: "CPU_INT_CLEAR", rw: ^uint32(0), store: func(value uint32) { m.edges &^= value }},
		{offset: matrixPending, name: "CPU_INT_EIP_STATUS", ro: ^uint32(0), load: func() uint32 { return m.lines() }},
		{offset: matrixLimit, name: "CPU_INT_THRESH", rw: 0xf},
		{offset: 0x7fc, name: "INTERRUPT_DATE", reset: 0x2007210, rw: 0x0fff_ffff},
	}
	for i := range uint32(matrixSources) {
		rows = append(rows, register{offset: 4 * i, name: "INTR_MAP", rw: 31})
	}
	for i := range uint32(matrixLines) {
		rows = append(rows, register{offset: matrixPriority + 4*i, name: "CPU_INT_PRI", rw: 0xf})
	}
	c.add(b, rows...)
}

// sources are those that are asserted.
func (m *matrix) sources() (asserted uint64) {
	c := m.chip
	set := func(n int, level bool) { asserted |= uint64(bit(level, 0)) << n }
	timer := c.clock.raw & c.clock.block.values[tmIntEna]
	for i := range 3 {
		set(sourceSysTimer+i, timer>>i&1 != 0)
	}
	set(sourceUSB, c.usb.raw&c.usb.block.values[usbIntEna] != 0)
	set(sourceRTC, c.control.interrupt())
	for i, w := range c.timers {
		set(sourceMWDT0+(sourceMWDT1-sourceMWDT0)*i, w.asserts())
	}
	for i := range 4 {
		set(sourceFromCPU+i, c.system.block.values[sysFromCPU+4*uint32(i)]&1 != 0)
	}
	return asserted
}

// lines are the interrupts that are pending.
func (m *matrix) lines() (pending uint32) {
	levels := uint32(0)
	for sources, n := m.sources(), uint32(0); sources != 0; sources, n = sources>>1, n+1 {
		if sources&1 != 0 {
			levels |= 1 << m.block.values[4*n]
		}
	}
	levels &^= 1 // where what is not wanted is led to
	edge := m.block.values[matrixType]
	m.edges |= levels &^ m.levels & edge
	m.levels = levels
	return levels&^edge | m.edges&edge
}

// interrupt is the one that the CPU is to take: that of the highest priority, and of those the lowest number; 0: none.
func (m *matrix) interrupt() (number uint32) {
	pending := m.lines() & m.block.values[matrixEnable]
	least := m.block.values[matrixLimit]
	for n := uint32(1); n < matrixLines; n++ {
		if pending>>n&1 == 0 {
			continue
		}
		switch priority := m.block.values[matrixPriority+4*n]; {
		case priority == 0:
			m.chip.complain("interrupt %d has priority 0, which is never taken", n)
		case priority >= least && (number == 0 || priority > m.block.values[matrixPriority+4*number]):
			number = n
		}
	}
	return number
}
