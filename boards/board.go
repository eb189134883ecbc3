package boards

// A Tier says how far a board is tested.
type Tier string

// The tiers, from the most tested on.
const (
	// TierQEMU boards pass the whole suite under QEMU for every change.
	TierQEMU Tier = "qemu-ci"
	// TierBuilds boards are compiled for every change, and run by whoever has one.
	TierBuilds Tier = "builds"
)

// A Board is what board.json says, with the runner's image.
type Board struct {
	Name  string `json:"name"` // folder under boards/
	Title string `json:"title"`
	Arch  string `json:"arch"` // as in package stencils and the wire protocol
	Chip  string `json:"chip"` // folder under firmware/chip
	CPU   string `json:"cpu"`
	FPU   string `json:"fpu"`
	RAM   uint64 `json:"ram_bytes"`
	UART  UART   `json:"uart"`
	Timer Timer  `json:"timer"`
	Tier  Tier   `json:"tier"`
	// QEMU is nil where no emulator knows the board.
	QEMU *QEMU `json:"qemu,omitempty"`
	// Flash is nil where there is nothing to flash.
	Flash *Flash `json:"flash,omitempty"`
	// ImageFile is the runner under firmware/images, an ELF file.
	ImageFile string   `json:"image"`
	Notes     []string `json:"notes,omitempty"`

	// Image is the content of ImageFile.
	Image []byte `json:"-"`
}

// A UART is the serial line that carries the protocol.
type UART struct {
	Device string   `json:"device"`
	Wiring string   `json:"wiring,omitempty"` // pins and level, for people
	Bauds  []uint32 `json:"bauds"`            // the first one is in use after reset
}

// A Timer is what run times are measured with.
type Timer struct {
	Device string `json:"device"`
	Hz     uint32 `json:"hz"` // on the real board
}

// QEMU says how the board is emulated.
type QEMU struct {
	Binary  string   `json:"binary"`
	Package string   `json:"package"` // Debian package that has Binary
	Args    []string `json:"args"`    // the machine
	Load    Form     `json:"load"`    // what its -kernel is given
}

// A Form is how the runner's image is stored.
type Form string

// The forms of an image.
const (
	FormELF Form = "elf" // as built, stripped
	FormRaw Form = "raw" // the bytes in memory from the lowest address on
)

// A Method is a way to put the runner on a board.
type Method string

// MethodSDFiles copies files to the boot partition of an SD card.
const MethodSDFiles Method = "sd-files"

// Flash says how the runner gets onto the board.
type Flash struct {
	Method Method      `json:"method"`
	Files  []FlashFile `json:"files"`
}

// A FlashFile is one file to be written: either the image or a text.
type FlashFile struct {
	Name  string   `json:"name"`
	Image Form     `json:"image,omitempty"`
	Text  []string `json:"text,omitempty"` // lines
}
