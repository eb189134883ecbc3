//go:build linux

package emulator_test

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A uart reads back what a runner has set: the rate in bits a second from a clock of hz, 0
// where QEMU tells nobody, and whether a byte is 8N1, as it always is where nothing chooses it.
type uart func(read func(offset uint64, bytes int) uint32, hz float64) (rate float64, is8N1 bool)

type read = func(offset uint64, bytes int) uint32

func pl011(r read, hz float64) (float64, bool) {
	return 4 * hz / float64(64*r(0x24, 4)+r(0x28, 4)), r(0x2c, 4)&0x6e == 0x60 // word length, two stop bits, parity
}

func stm32USART(r read, hz float64) (float64, bool) {
	return hz / float64(r(0x08, 4)), r(0x0c, 4)&(1<<12|1<<10) == 0 && r(0x10, 4)&(3<<12) == 0 // nine bits, parity; stop bits
}

// That of newer chips, without its FIFO.
func stm32USART2(r read, hz float64) (float64, bool) {
	return hz / float64(r(0x0c, 4)), r(0x00, 4)&(1<<28|1<<12|1<<10) == 0 && r(0x04, 4)&(3<<12) == 0 // lengths, parity; stop bits
}

func nrf51UART(r read, hz float64) (float64, bool) {
	return float64(r(0x524, 4)) * hz / (1 << 32), r(0x56c, 4)&0xe == 0 // parity
}

func sifiveUART(r read, hz float64) (float64, bool) {
	return hz / float64(r(0x18, 4)+1), r(0x08, 4)&2 == 0 // two stop bits
}

func cmsdkUART(r read, hz float64) (float64, bool) { return hz / float64(r(0x10, 4)), true }

// The divisor lies behind a bit that only the runner can set.
func ns16550(r read, _ float64) (float64, bool) { return 0, r(3, 1) == 3 }

// A board starts with the first rate of its list, and 8N1.
func TestInitialRateAndFormat(t *testing.T) {
	uarts := map[string]struct {
		uart uart
		hz   float64 // of the clock that the rate is divided from
	}{
		"rpi1": {pl011, 48e6}, "rpizero": {pl011, 48e6}, "rpi2": {pl011, 48e6}, "rpi3": {pl011, 48e6}, "rpi3-32": {pl011, 48e6}, "rpi4": {pl011, 48e6},
		"virt-a15": {pl011, 24e6}, "virt-a53": {pl011, 24e6}, "vexpress-a9": {pl011, 24e6}, "lm3s6965evb": {pl011, 50e6},
		"netduinoplus2": {stm32USART, 84e6}, "stm32vldiscovery": {stm32USART, 24e6},
		"b-l475e-iot01a": {stm32USART2, 80e6},
		"mps2-an385":     {cmsdkUART, 25e6}, "mps2-an386": {cmsdkUART, 25e6}, "mps2-an500": {cmsdkUART, 25e6},
		"mps2-an505": {cmsdkUART, 20e6}, "mps3-an547": {cmsdkUART, 25e6},
		"microbit": {nrf51UART, 16e6}, "sifive-e": {sifiveUART, 16e6}, "hifive1-revb": {sifiveUART, 16e6},
		"riscv-virt32": {ns16550, 0}, "riscv-virt64": {ns16550, 0},
	}
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, uarts, b.Name)
			at := placeOf(t, b.Name)
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, b.Name, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			c.hello(1)
			if b.Name == "microbit" { // QEMU's model passes over a rate that is set before it is switched on, as it is at the start
				require.Equal(t, packet.StatusOK, c.ask(&packet.BaudRequest{Baud: b.UART.Bauds[0]}).Result())
				c.hello(1)
			}
			d := attach(t, c.isa, socket)
			rate, is8N1 := uarts[b.Name].uart(func(offset uint64, bytes int) uint32 {
				raw, err := hex.DecodeString(d.ask(fmt.Sprintf("m%x,%x", uint64(at.uart)+offset, bytes)))
				require.NoError(t, err)
				require.Len(t, raw, bytes)
				var v uint32
				for i, x := range raw {
					v |= uint32(x) << (8 * i)
				}
				return v
			}, uarts[b.Name].hz)
			t.Logf("%.0f bits a second", rate)
			require.True(t, is8N1)
			require.EqualValues(t, 115_200, b.UART.Bauds[0])
			if rate != 0 {
				require.InEpsilon(t, float64(b.UART.Bauds[0]), rate, 0.025)
			}
			d.detach()
			c.hello(2)
		})
	}
}
