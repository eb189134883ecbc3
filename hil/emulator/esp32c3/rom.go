package esp32c3

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/firmware/flash/esp"
	"github.com/copaflash/copaflash/hil/emulator/rv32"
)

// An Image is the one segment that the boot ROM loads from flash memory, and where it jumps then.
type Image struct {
	Entry   uint32 // on the instruction bus
	Address uint32 // on the data bus
	Data    []byte
}

// ChipID is the chip's number in images.
const ChipID = 5

// FromFlash reads what flash memory begins with, as the boot ROM does.
func FromFlash(content []byte) (Image, error) {
	m, err := esp.Parse(content)
	switch {
	case err != nil:
		return Image{}, fmt.Errorf("esp32c3: %w", err)
	case m.ChipID != ChipID:
		return Image{}, fmt.Errorf("esp32c3: an image for chip %d, want %d", m.ChipID, ChipID)
	case len(m.Segments) != 1:
		return Image{}, fmt.Errorf("esp32c3: %d segments, want 1", len(m.Segments))
	}
	return Image{Entry: m.Entry, Address: m.Segments[0].Address, Data: m.Segments[0].Data}, nil
}

// Memory of the boot ROM, in which nothing can be loaded: its stack, and its data up to the end (esp-idf's
// components/bootloader/subproject/main/ld/esp32c3/bootloader.ld.in).
const (
	romStack = 0x3fcd_c710
	romData  = 0x3fcd_e710 // where the stack begins
)

func (i *Image) check() error {
	end := uint64(i.Address) + uint64(len(i.Data))
	switch {
	case len(i.Data) == 0:
		return errors.New("an image without bytes")
	case i.Address%4 != 0 || len(i.Data)%4 != 0:
		return fmt.Errorf("a segment of %d bytes at %#x: the boot ROM loads words", len(i.Data), i.Address)
	case i.Address < dataBus || end > romStack:
		return fmt.Errorf("a segment from %#x to %#x, want one from %#x to %#x", i.Address, end, dataBus, romStack)
	case uint64(i.Entry)-instructionBus+dataBus < uint64(i.Address) || uint64(i.Entry)-instructionBus+dataBus >= end:
		return fmt.Errorf("entry %#x lies outside of the segment", i.Entry)
	}
	return nil
}

// banner is what the boot ROM prints, to whoever reads.
const banner = "ESP-ROM:esp32c3-api1-20210207\r\nBuild:Feb  7 2021\r\nrst:%#x (%s),boot:0xf (SPI_FAST_FLASH_BOOT)\r\n" +
	"SPIWP:0xee\r\nmode:DIO, clock div:1\r\nload:%#x,len:%#x\r\nentry %#x\r\n"

// romNames are those of causes of a reset in the banner.
var romNames = map[resetCause]string{
	powerOn: "POWERON", coreSW: "RTC_SW_SYS_RST", coreMWDT0: "TG0WDT_SYS_RST", coreMWDT1: "TG1WDT_SYS_RST", coreRWDT: "RTCWDT_SYS_RST",
	cpuMWDT0: "TG0WDT_CPU_RST", cpuSW: "RTC_SW_CPU_RST", cpuRWDT: "RTCWDT_CPU_RST", systemRWDT: "RTCWDT_RTC_RST",
	cpuMWDT1: "TG1WDT_CPU_RST", systemSWD: "SUPER_WDT_RESET", coreUSBUART: "USB_UART_CHIP_RESET",
}

// start resets the chip, and does what its boot ROM does until it hands over to the image.
func (c *Chip) start(cause resetCause) {
	c.pending, c.hung = 0, false
	c.setPeriod(2 * xtalPeriod)
	if cause != powerOn {
		c.resets = append(c.resets, cause)
	}
	if !cpuOnly[cause] {
		for _, b := range c.unique() {
			if !b.keeps || deep[cause] {
				b.reset()
			}
		}
		for _, d := range c.devices {
			d.reset()
		}
		c.matrix.edges, c.matrix.levels = 0, 0
	}
	c.system.block.values[sysSysclkConf] = c.system.block.registers[sysSysclkConf].reset
	c.control.block.values[rtcResetState] = c.control.block.values[rtcResetState]&^0x3f | uint32(cause)
	c.counters = [2]counter{}
	for i, b := range c.image.Data {
		c.poke(c.image.Address+uint32(i), b)
	}
	for a := uint32(romStack); a < dataBus+sram1Size; a++ {
		c.poke(a, byte(c.random()))
	}
	c.cpu.Reset(c.image.Entry)
	for i := 1; i < len(c.cpu.X); i++ {
		c.cpu.X[i] = c.random()
	}
	c.cpu.X[2] = romData - 0x60 // sp
	for _, f := range c.handOver {
		f()
	}
	if c.host.open {
		c.host.toHost = append(c.host.toHost, c.host.held...)
		c.host.held = nil
		c.host.toHost = fmt.Appendf(c.host.toHost, banner, uint32(cause), romNames[cause], c.image.Address, len(c.image.Data), c.image.Entry)
	}
}

// poke writes a byte of SRAM1.
func (c *Chip) poke(address uint32, value byte) {
	page, at := c.sram[(address-dataBus)/rv32.PageSize], address%rv32.PageSize
	page.Data[at] = value
	page.Changed(at, 1)
}
