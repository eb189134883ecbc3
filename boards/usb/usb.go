// Package usb knows the USB identities of boards, debug probes and serial
// adapters, so that a list of ports can say what is probably connected to each.
package usb

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
)

// A Kind says what a device has to do with boards.
type Kind int

const (
	// Other devices are no way to a runner: boards with programs of others, and boot loaders.
	Other Kind = iota
	// Probe devices are debug probes, whose serial port may lead to any board.
	Probe
	// Adapter devices are serial adapters, behind which there may be anything.
	Adapter
)

// A Device is one row: what has a vendor and product number. Which board is behind it the boards say themselves.
type Device struct {
	VID, PID string // four hexadecimal digits, lower case; no PID: any of the vendor
	Name     string
	Kind     Kind
}

// devices come from the makers' lists and drivers: the USB ID repository
// (http://www.linux-usb.org/usb.ids), https://github.com/raspberrypi/usb-pid, ST's
// UM2448 and the udev rules of OpenOCD and pyOCD. More exact rows come first.
var devices = []Device{
	{"0483", "3744", "ST-Link/V1", Probe},
	{"0483", "3748", "ST-Link/V2", Probe},
	{"0483", "374a", "ST-Link/V2-1", Probe},
	{"0483", "374b", "ST-Link/V2-1", Probe},
	{"0483", "3752", "ST-Link/V2-1", Probe},
	{"0483", "374d", "STLINK-V3 (loader)", Other},
	{"0483", "374e", "STLINK-V3E", Probe},
	{"0483", "374f", "STLINK-V3S", Probe},
	{"0483", "3753", "STLINK-V3", Probe},
	{"0483", "3754", "STLINK-V3", Probe},
	{"0483", "5740", "STM32 virtual COM port", Other},
	{"0483", "df11", "STM32 in DFU mode", Other},
	{"0d28", "0204", "DAPLink", Probe},
	{"2e8a", "0003", "RP2040 in BOOTSEL mode", Other},
	{"2e8a", "0004", "Picoprobe", Probe},
	{"2e8a", "0005", "Raspberry Pi Pico (MicroPython)", Other},
	{"2e8a", "0009", "RP2350 (SDK, USB serial)", Other},
	{"2e8a", "000a", "Raspberry Pi Pico (SDK, USB serial)", Other},
	{"2e8a", "000c", "Raspberry Pi Debug Probe", Probe},
	{"2e8a", "000f", "RP2350 in BOOTSEL mode", Other},
	{"2e8a", "", "Raspberry Pi", Other},
	{"0403", "bcd9", "Stellaris evaluation board", Probe},
	{"0403", "6001", "FTDI FT232R", Adapter},
	{"0403", "6010", "FTDI FT2232", Adapter},
	{"0403", "6011", "FTDI FT4232H", Adapter},
	{"0403", "6014", "FTDI FT232H", Adapter},
	{"0403", "6015", "FTDI FT231X", Adapter},
	{"0403", "", "FTDI", Adapter},
	{"10c4", "ea60", "Silicon Labs CP210x", Adapter},
	{"10c4", "ea70", "Silicon Labs CP2105", Adapter},
	{"1a86", "7523", "WCH CH340", Adapter},
	{"1a86", "5523", "WCH CH341", Adapter},
	{"1a86", "55d4", "WCH CH9102", Adapter},
	{"067b", "2303", "Prolific PL2303", Adapter},
	{"1366", "", "SEGGER J-Link", Probe},
	{"1d50", "6018", "Black Magic Probe", Probe},
	{"2341", "", "Arduino", Other},
	{"2a03", "", "Arduino", Other},
	{"239a", "", "Adafruit board", Other},
	{"303a", "1001", "Espressif USB serial and JTAG", Other},
	{"303a", "", "Espressif", Other},
	{"1fc9", "0090", "NXP LPC-Link2 (CMSIS-DAP)", Probe},
}

// Find returns what has these numbers, nil if nobody knows.
func Find(vid, pid string) *Device {
	for i, d := range devices {
		if d.VID == vid && (d.PID == "" || d.PID == pid) {
			return &devices[i]
		}
	}
	return nil
}

// An Identity is what is known of a port before anybody asks the board.
type Identity struct {
	Device *Device        // nil: nobody knows it
	Boards []boards.Board // that it may be, without their images
	// Sure says that a code named the board.
	Sure bool
}

// Candidate says that a runner may answer there, and that no other program minds being asked.
func (i *Identity) Candidate() bool {
	return len(i.Boards) > 0 || i.Device != nil && i.Device.Kind != Other
}

// A Text is what a USB device tells of itself.
type Text struct{ VID, PID, Product, Serial string }

// Identify finds the boards that a port may be. The code is the one that the drive of the same device tells; it may be empty.
func Identify(t Text, code string) (Identity, error) {
	id := Identity{Device: Find(t.VID, t.PID)}
	all, err := boards.Descriptions()
	if err != nil || t.VID == "" {
		return id, err
	}
	for _, b := range all {
		fits, sure := match(b.USB, t, code)
		if fits {
			id.Boards, id.Sure = append(id.Boards, b), sure
		}
	}
	return id, nil
}

// match tells whether a device fits a board, and whether a code says so.
func match(u *boards.USB, t Text, code string) (fits, sure bool) {
	if u == nil {
		return false, false
	}
	for _, d := range u.Devices {
		if d.VID != t.VID || d.PID != t.PID || !strings.HasPrefix(strings.ToLower(t.Product), strings.ToLower(d.Product)) {
			continue
		}
		told := code
		if d.Coded && len(t.Serial) >= codeLength {
			told = t.Serial[:codeLength]
		}
		if told == "" {
			return true, d.Product != "" // a text of its own
		}
		return HasCode(u, told), true
	}
	return false, false
}

// codeLength is how many digits of a serial number are the code.
const codeLength = 4

// HasCode tells whether a code is one of a board's.
func HasCode(u *boards.USB, code string) bool {
	return u != nil && slices.ContainsFunc(u.Codes, func(c string) bool { return strings.EqualFold(c, code) })
}
