package esp32c3

// A State is what can be told of a chip.
type State struct {
	Hz         float64 // of the CPU
	Cycles, NS float64
	PC         uint32
	Resets     int
	Causes     []uint32 // of the resets, as RESET_STATE has them
	Complaints []string
	Pins       []Pin // by number
}

// State tells of the chip.
func (c *Chip) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := State{
		Hz: second / float64(c.period), Cycles: float64(c.cpu.Cycles), NS: float64(c.now()) / 1000, PC: c.cpu.PC,
		Resets: len(c.resets), Complaints: append([]string{}, c.said...),
	}
	for _, cause := range c.resets {
		s.Causes = append(s.Causes, uint32(cause))
	}
	for n := range uint32(gpioCount) {
		s.Pins = append(s.Pins, c.pins.pin(n))
	}
	return s
}

// Reset is what USB Serial/JTAG does to the chip when its host asks for it by RTS.
func (c *Chip) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start(coreUSBUART)
}

// Hang keeps the CPU from going on until there is a reset, as an endless loop does, if interrupts are masked at this moment; it reports
// whether they are.
func (c *Chip) Hang() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hung = c.hung || !c.cpu.Takes()
	return c.hung
}
