package esp

import "fmt"

// names are the kinds of chips by number, from esp-idf's esp_app_format.h.
var names = map[uint32]string{
	0x00: "ESP32", 0x02: "ESP32-S2", 0x05: "ESP32-C3", 0x09: "ESP32-S3",
	0x0c: "ESP32-C2", 0x0d: "ESP32-C6", 0x10: "ESP32-H2", 0x12: "ESP32-P4",
}

func nameOf(chip uint32) string {
	if name, ok := names[chip]; ok {
		return "an " + name
	}
	return fmt.Sprintf("one with the number %#x", chip)
}

// registers are what differs between the kinds of chips.
type registers struct {
	// magics are the values of a word of the ROM, by revision. Old revisions tell no number.
	magics []uint32
	// port is a variable of the ROM: usbPort says that the loader speaks over the chip's own USB port, the reset of which leaves
	// watchdogs running.
	port, usbPort uint32
	// strap has the bit strapFlash, unless the button had the loader started. Only a reset of the whole chip asks for the button again.
	strap, strapFlash uint32
	// calm stops those watchdogs.
	calm []change
	// resetAll has one of them reset the whole chip within 20 ms, after the answer to the last change.
	resetAll []change
}

// A change is a value for a register; with beside, of bits that are set beside those that are set.
type change struct {
	address, value uint32
	beside         bool
}

// magicWord has the same address in every chip.
const magicWord = 0x4000_1000

// Watchdogs of the ESP32-C3's RTC: that with stages, and the super watchdog.
const (
	wdtConfig0  = 0x6000_8090
	wdtConfig1  = 0x6000_8094
	wdtProtect  = 0x6000_80A8
	wdtKey      = 0x50D8_3AA1
	swdConfig   = 0x6000_80AC
	swdProtect  = 0x6000_80B0
	swdKey      = 0x8F1D_312A
	swdAutoFeed = 1 << 31
)

// chips come from esptool's targets/esp32c3.py, the bit of strap from its page on the selection of boot modes.
var chips = map[uint16]registers{
	0x05: {
		magics:     []uint32{0x6921_506F, 0x1B31_506F, 0x4881_606F, 0x4361_606F},
		port:       0x3FCD_F07C,
		usbPort:    3,
		strap:      0x6000_4038,
		strapFlash: 1 << 3,
		calm: []change{
			{address: wdtProtect, value: wdtKey}, {address: wdtConfig0, value: 0}, {address: wdtProtect, value: 0},
			{address: swdProtect, value: swdKey}, {address: swdConfig, value: swdAutoFeed, beside: true}, {address: swdProtect, value: 0},
		},
		// After 2000 periods of about 140 kHz.
		resetAll: []change{
			{address: wdtProtect, value: wdtKey}, {address: wdtConfig1, value: 2000},
			{address: wdtConfig0, value: 1<<31 | 5<<28 | 1<<8 | 2},
		},
	},
}
