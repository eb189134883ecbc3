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

// Hang sets the CPU to an address, which is that of an endless loop, if interrupts are masked at this moment and the CPU
// is not asleep; it reports whether they are.
func (c *Chip) Hang(pc uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cpu.Takes() {
		return false
	}
	c.cpu.PC, c.cpu.Waiting = pc, false
	return true
}
