// Package usb knows the USB identities of boards, debug probes and serial
// adapters, so that a list of ports can say what is probably connected to each.
package usb

// A Device is one row: what has a vendor and product number, and for which
// boards that speaks. An adapter says nothing about the board behind it.
type Device struct {
	VID, PID string // four hexadecimal digits, lower case; no PID: any of the vendor
	Name     string
	Boards   []string // names that copaflash has
}

// devices come from the makers' lists and drivers: the USB ID repository
// (http://www.linux-usb.org/usb.ids), https://github.com/raspberrypi/usb-pid, ST's
// UM2448 and the udev rules of OpenOCD and pyOCD. More exact rows come first.
var devices = []Device{
	{"0483", "3744", "ST-Link/V1", []string{"stm32vldiscovery"}},
	{"0483", "3748", "ST-Link/V2", nil},
	{"0483", "374a", "ST-Link/V2-1", nil},
	{"0483", "374b", "ST-Link/V2-1", []string{"nucleo-f446re"}},
	{"0483", "3752", "ST-Link/V2-1", nil},
	{"0483", "374d", "STLINK-V3 (loader)", nil},
	{"0483", "374e", "STLINK-V3E", nil},
	{"0483", "374f", "STLINK-V3S", nil},
	{"0483", "3753", "STLINK-V3", nil},
	{"0483", "3754", "STLINK-V3", nil},
	{"0483", "5740", "STM32 virtual COM port", nil},
	{"0483", "df11", "STM32 in DFU mode", nil},
	{"0d28", "0204", "DAPLink", []string{"microbit"}},
	{"2e8a", "0003", "RP2040 in BOOTSEL mode", nil},
	{"2e8a", "0004", "Picoprobe", nil},
	{"2e8a", "0005", "Raspberry Pi Pico (MicroPython)", nil},
	{"2e8a", "0009", "RP2350 (SDK, USB serial)", nil},
	{"2e8a", "000a", "Raspberry Pi Pico (SDK, USB serial)", nil},
	{"2e8a", "000c", "Raspberry Pi Debug Probe", nil},
	{"2e8a", "000f", "RP2350 in BOOTSEL mode", nil},
	{"2e8a", "", "Raspberry Pi", nil},
	{"0403", "bcd9", "Stellaris evaluation board", []string{"lm3s6965evb"}},
	{"0403", "6001", "FTDI FT232R", nil},
	{"0403", "6010", "FTDI FT2232", nil},
	{"0403", "6011", "FTDI FT4232H", nil},
	{"0403", "6014", "FTDI FT232H", nil},
	{"0403", "6015", "FTDI FT231X", nil},
	{"0403", "", "FTDI", nil},
	{"10c4", "ea60", "Silicon Labs CP210x", nil},
	{"10c4", "ea70", "Silicon Labs CP2105", nil},
	{"1a86", "7523", "WCH CH340", nil},
	{"1a86", "5523", "WCH CH341", nil},
	{"1a86", "55d4", "WCH CH9102", nil},
	{"067b", "2303", "Prolific PL2303", nil},
	{"1366", "", "SEGGER J-Link", nil},
	{"1d50", "6018", "Black Magic Probe", nil},
	{"2341", "", "Arduino", nil},
	{"2a03", "", "Arduino", nil},
	{"239a", "", "Adafruit board", nil},
	{"303a", "1001", "Espressif USB serial and JTAG", nil},
	{"303a", "", "Espressif", nil},
	{"1fc9", "0090", "NXP LPC-Link2 (CMSIS-DAP)", nil},
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
