package esp32c3

// Registers of SYSTEM.
const (
	sysCPUPerConf = 0x008
	sysClkEn0     = 0x010
	sysClkEn1     = 0x014
	sysRstEn0     = 0x018
	sysRstEn1     = 0x01c
	sysFromCPU    = 0x028 // the first of four
	sysSysclkConf = 0x058
)

// Gates are bits of PERIP_CLK_EN0 and PERIP_RST_EN0.
const (
	gateUART0    = 1<<2 | 1<<24 // with its memory
	gateGroup0   = 1 << 13
	gateGroup1   = 1 << 15
	gateEFuse    = 1 << 14
	gateUSB      = 1 << 23
	gateSysTimer = 1 << 29
)

// A system is the block of that name: what the CPU and devices are clocked with.
type system struct{ block *block }

func (s *system) enabled() uint32 { return s.block.values[sysClkEn0] }
func (s *system) inReset() uint32 { return s.block.values[sysRstEn0] }

func (c *Chip) addSystem() {
	rows := []register{
		{offset: 0x000, name: "CPU_PERI_CLK_EN", rw: 0xc0},
		{offset: 0x004, name: "CPU_PERI_RST_EN", reset: 0xc0, rw: 0xc0},
		{offset: sysCPUPerConf, name: "CPU_PER_CONF", reset: 0x0c, rw: 0xff, store: c.reclock},
		{offset: 0x00c, name: "MEM_PD_MASK", reset: 1, rw: 1},
		all(sysClkEn0, "PERIP_CLK_EN0", 0xf9c1_e06f),
		{offset: sysClkEn1, name: "PERIP_CLK_EN1", rw: 0x5fe},
		{offset: sysRstEn0, name: "PERIP_RST_EN0", rw: ^uint32(0), store: c.resetDevices},
		{offset: sysRstEn1, name: "PERIP_RST_EN1", reset: 0x1fe, rw: 0x5fe},
		{offset: 0x050, name: "REDUNDANT_ECO_CTRL", rw: 1, ro: 2},
		{offset: 0x054, name: "CLOCK_GATE", reset: 1, rw: 1},
		{offset: sysSysclkConf, name: "SYSCLK_CONF", reset: 40<<12 | 1, rw: 0xfff, ro: 0xff000, store: c.reclock},
		{offset: 0xffc, name: "DATE", reset: 0x2007150, rw: 0x0fff_ffff},
	}
	for i := range uint32(4) {
		rows = append(rows, register{offset: sysFromCPU + 4*i, name: "CPU_INTR_FROM_CPU", rw: 1})
	}
	c.system.block = c.add(&block{name: "SYSTEM", base: 0x600c_0000}, rows...)
}

// Sources of the CPU's clock, SOC_CLK_SEL.
const (
	sourceXTAL = 0
	sourcePLL  = 1
	sourceFast = 2 // an RC oscillator of 17.5 MHz
)

// CPUPERIOD_SEL: the CPU's clock from the PLL.
var pllPeriods = map[uint32]uint64{0: second / 80_000_000, 1: second / 160_000_000}

// reclock follows the registers that select the CPU's clock; esp-idf's hal/esp32c3/clk_tree_ll.h has their meaning.
func (c *Chip) reclock(uint32) {
	conf, per := c.system.block.values[sysSysclkConf], c.system.block.values[sysCPUPerConf]
	divider := uint64(conf&0x3ff + 1)
	switch conf >> 10 & 3 {
	case sourceXTAL:
		c.setPeriod(divider * xtalPeriod)
	case sourcePLL:
		period, ok := pllPeriods[per&3]
		if !ok {
			c.complain("CPU_PER_CONF %#x: no such clock", per)
			return
		}
		if per&(1<<2) == 0 {
			c.complain("CPU_PER_CONF %#x: the PLL runs at 480 MHz", per)
		}
		if c.control.pllOff() {
			c.complain("the CPU is clocked by a PLL that is off")
		}
		c.setPeriod(period)
	case sourceFast:
		c.setPeriod(divider * (second / 17_500_000))
	default:
		c.complain("SYSCLK_CONF %#x: no such source", conf)
	}
}

// apbPeriod is that of the peripheral bus: 80 MHz from the PLL, otherwise the clock of the CPU.
func (c *Chip) apbPeriod() uint64 {
	if c.system.block.values[sysSysclkConf]>>10&3 == sourcePLL {
		return second / 80_000_000
	}
	return c.period
}

// resetDevices resets those whose bits are 1, which they stay until the bits are cleared.
func (c *Chip) resetDevices(bits uint32) {
	for _, b := range c.unique() {
		if b.gate&bits != 0 {
			b.reset()
			if b.device != nil {
				b.device.reset()
			}
		}
	}
}

// unique returns each block once.
func (c *Chip) unique() (blocks []*block) {
	for at, b := range c.blocks {
		if b != nil && (b.base-peripherals)/blockSize == uint32(at) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}
