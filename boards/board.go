package boards

import (
	"fmt"
	"strconv"
)

// A Tier says how far a board is tested.
type Tier string

// The tiers, from the most tested on.
const (
	// TierQEMU boards pass the whole suite under QEMU for every change.
	TierQEMU Tier = "qemu-ci"
	// TierSimulated boards run on a simulator of their chip for every change, as docs/hil.md says.
	TierSimulated Tier = "sim-ci"
	// TierModelled boards start, for every change, on a model of their chip's clocks, pins and UART (firmware/test/clocks).
	TierModelled Tier = "modelled"
	// TierBuilds boards are compiled for every change, and run by whoever has one.
	TierBuilds Tier = "builds"
)

// A Board is what board.json says, with the runner's image.
type Board struct {
	Name string `json:"name"` // folder under boards/
	// Aliases are the names of other boards that the same image is for, which the title tells.
	Aliases []string `json:"aliases,omitempty"`
	Title   string   `json:"title"`
	Arch    string   `json:"arch"` // as in package stencils and the wire protocol
	Chip    string   `json:"chip"` // folder under firmware/chip
	CPU     string   `json:"cpu"`
	FPU     string   `json:"fpu"`
	RAM     uint64   `json:"ram_bytes"`
	UART    UART     `json:"uart"`
	Timer   Timer    `json:"timer"`
	// Watchdog is nil where the chip has none that the runner can use.
	Watchdog *Watchdog `json:"watchdog,omitempty"`
	// Store is nil where no program can be kept.
	Store *Store `json:"store,omitempty"`
	Tier  Tier   `json:"tier"`
	// QEMU is nil where no emulator knows the board.
	QEMU *QEMU `json:"qemu,omitempty"`
	// Flash is nil where there is nothing to flash.
	Flash *Flash `json:"flash,omitempty"`
	// USB is nil where the board does not show on a USB port of the host, or only by an adapter that could be anyone's.
	USB *USB `json:"usb,omitempty"`
	// ImageFile is the runner under firmware/images, an ELF file.
	ImageFile string `json:"image"`
	// Channels are the inputs and outputs that programs can be bound to.
	Channels []Channel `json:"channels,omitempty"`
	// Buses are those of the chip whose pins the board has.
	Buses []Bus    `json:"buses,omitempty"`
	Notes []string `json:"notes,omitempty"`

	// ChipText is the description of the chip where that is none of firmware/chip: of a Linux machine (boards/machine).
	ChipText []byte `json:"-"`

	// Image is the content of ImageFile.
	Image []byte `json:"-"`
}

// Names are its own and its aliases.
func (b *Board) Names() []string { return append([]string{b.Name}, b.Aliases...) }

// A Channel is an input or output with the name that is printed on the board. What
// its pin can do is in the chip's description.
type Channel struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Pin     string   `json:"pin"`   // of the chip
	Place   string   `json:"place"` // where on the board, for people
	// Kinds are those that make sense here, the usual one first; empty: all of the pin.
	Kinds   []string          `json:"kinds,omitempty"`
	Options map[string]string `json:"options,omitempty"` // other defaults than the chip's, such as the level of a LED
}

// A Bus is where devices can be connected.
type Bus struct {
	Name   string            `json:"name"`  // the chip's
	Place  string            `json:"place"` // where on the board, for people
	Pins   map[string]string `json:"pins"`  // the usual ones, by the word of the line; names of channels, or the chip's
	Select string            `json:"cs,omitempty"`
}

// A UART is the serial line that carries the protocol.
type UART struct {
	Device string   `json:"device"`
	Wiring string   `json:"wiring,omitempty"` // pins and level, for people
	Bauds  []uint32 `json:"bauds"`            // the first one is in use after reset
}

// USB says how the board, or the debug probe on it, shows on a USB port of the host.
type USB struct {
	Devices []USBDevice `json:"devices,omitempty"`
	// Codes are the four digits by which a debug probe tells the board that it is on, which are those of Mbed's platforms: in the
	// serial number of a DAPLink, and in files of the probe's drive.
	Codes []string `json:"codes,omitempty"`
}

// A USBDevice has the serial port that leads to the board.
type USBDevice struct {
	VID string `json:"vid"` // four hexadecimal digits, lower case
	PID string `json:"pid"`
	// Product is how the device's text begins, where others share its numbers.
	Product string `json:"product,omitempty"`
	// Coded says that the serial number begins with the code of the board.
	Coded bool `json:"coded,omitempty"`
}

// A Timer is what run times are measured with.
type Timer struct {
	Device string `json:"device"`
	Hz     uint32 `json:"hz"` // on the real board
}

// A Watchdog resets the board when a loop that was started with it hangs.
type Watchdog struct {
	Device string `json:"device"`
	Least  uint32 `json:"least_ms"` // milliseconds, both included
	Most   uint32 `json:"most_ms"`
}

// A Store keeps a program for the next start, in one of two slots.
type Store struct {
	Memory string `json:"memory"` // for people
	Slot   uint64 `json:"slot_bytes"`
}

// QEMU says how the board is emulated.
type QEMU struct {
	Binary  string   `json:"binary"`
	Package string   `json:"package"`         // Debian package that has Binary
	Least   string   `json:"least,omitempty"` // version of QEMU that knows the machine, such as 9.0; empty: any
	Args    []string `json:"args"`            // the machine
	Load    Form     `json:"load"`            // what its -kernel is given
	// SingleByte says that the emulated UART takes one byte and no more until the guest has
	// read it, so that every byte would cost QEMU a turn of its main loop and the guest an interrupt.
	SingleByte bool `json:"single_byte,omitempty"`
	// Deaf says that QEMU does not notice when the guest has read a byte of the emulated UART, which takes one at a time: the
	// next one waits until something else wakes QEMU's main loop.
	Deaf bool `json:"deaf,omitempty"`
	// Serial is which of the machine's serial lines the runner speaks on, as QEMU counts them.
	Serial int `json:"serial,omitempty"`
	// Watchdog says that the emulator has the board's watchdog, too.
	Watchdog bool `json:"watchdog,omitempty"`
}

// A Form is how the runner's image is stored.
type Form string

// The forms of an image.
const (
	FormELF Form = "elf" // as built, stripped
	FormRaw Form = "raw" // the bytes in memory from the lowest address on
	FormHex Form = "hex" // the same as Intel HEX, which has the address
)

// A Method is a way to put the runner on a board.
type Method string

// The methods.
const (
	MethodSDFiles Method = "sd-files"   // files on the boot partition of an SD card
	MethodUF2     Method = "uf2"        // a file copied to the USB drive of a boot ROM
	MethodSTM32   Method = "stm32-uart" // the boot loader in the ROM of an STM32 (AN3155)
	MethodESP     Method = "esp-uart"   // the boot loader in the ROM of an Espressif chip, also over the chip's own USB port
	MethodDrive   Method = "drive"      // a file copied to the USB drive of the debug probe on the board
	MethodRecipe  Method = "recipe"     // the tools of others, as Recipes tell
)

// Flash says how the runner gets onto the board. Which fields there are follows
// from the method.
type Flash struct {
	Method Method      `json:"method"`
	Files  []FlashFile `json:"files,omitempty"` // sd-files
	// Needs are files of the board's maker that have to be on the card, too.
	Needs []string `json:"needs,omitempty"` // sd-files
	UF2   *UF2     `json:"uf2,omitempty"`
	STM32 *STM32   `json:"stm32,omitempty"`
	ESP   *ESP     `json:"esp,omitempty"`
	Drive *Drive   `json:"drive,omitempty"`
	// Recipes are other ways, with tools that the user has.
	Recipes []Recipe `json:"recipes,omitempty"`
}

// A FlashFile is one file to be written: either the image or a text.
type FlashFile struct {
	Name  string   `json:"name"`
	Image Form     `json:"image,omitempty"`
	Text  []string `json:"text,omitempty"` // lines
}

// UF2 says which boot drive takes the runner.
type UF2 struct {
	Family  Hex    `json:"family"`   // of https://github.com/microsoft/uf2
	BoardID string `json:"board_id"` // in INFO_UF2.TXT on the drive
	Enter   string `json:"enter"`    // how to have the board show its drive, for people
}

// Drive says what the drive of the debug probe takes. Which board it is for it tells by one of USB.Codes.
type Drive struct {
	File   Form     `json:"file"`   // FormRaw or FormHex
	Labels []string `json:"labels"` // of the file system, by the version of the probe's firmware
	Enter  string   `json:"enter"`  // how to have the drive appear, for people
}

// STM32 says what the boot loader in ROM finds.
type STM32 struct {
	ChipID  Hex       `json:"chip_id"` // the answer to GETID, as in AN2606
	Flash   Hex       `json:"flash"`   // address of the first sector
	Sectors []Sectors `json:"sectors"` // in order of their addresses
	Enter   string    `json:"enter"`   // how to start the boot loader and where its UART is, for people
	// DFU is the same for the USB port of that boot loader; empty where the board has none.
	DFU string `json:"dfu,omitempty"`
}

// ESP says what the boot loader in the ROM of an Espressif chip finds.
type ESP struct {
	ChipID uint16 `json:"chip_id"` // in images
	Chip   string `json:"chip"`    // for people
	Offset Hex    `json:"offset"`  // in flash, of what the ROM starts
	Enter  string `json:"enter"`   // how to start the boot loader by hand, for people
}

// Sectors are some pieces of one size that flash is erased by.
type Sectors struct {
	Bytes uint32 `json:"bytes"`
	Count uint16 `json:"count"`
}

// A Recipe is a way to flash with a tool of others. In its steps {elf}, {bin} and
// {address} stand for the image's files and its load address, {esp} for the file that
// the ROM of an Espressif chip starts.
type Recipe struct {
	With  string   `json:"with"`
	Steps []string `json:"steps"`
}

// Hex is a number that JSON has as text, such as "0x413".
type Hex uint32

// UnmarshalText reads a number with its base, 0x for hexadecimal.
func (h *Hex) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 0, 32)
	*h = Hex(v)
	return err
}

// MarshalText writes the number in hexadecimal.
func (h Hex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#x", uint32(h)), nil }
