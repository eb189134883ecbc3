// Package romtest simulates the loader in the ROM of an ESP32-C3 with its flash, its watchdogs and what is wired to the modem lines,
// and the faults of all of them. It is written from esptool's documentation and shares nothing with the client, numbers included.
package romtest

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/copaflash/copaflash/firmware/flash/flashtest"
)

// A Circuit is what the modem lines lead to.
type Circuit int

// The circuits.
const (
	None       Circuit = iota // the lines cannot be set
	Unwired                   // they can be, and nothing happens
	Transistor                // EN and GPIO9, by two transistors
	Native                    // the chip's own USB port
)

// A ROM is the board's end of a line. Its fields are set before Serve, and read after it.
type ROM struct {
	flashtest.Faulty
	Circuit Circuit

	ChipID     uint32
	Flags      uint32 // of the fuses
	CryptCount byte
	Old        bool   // it tells nothing of its fuses
	NoID       bool   // it tells nothing of its kind, as an ESP32-S2
	Word       uint32 // at 0x40001000
	Secretive  bool   // registers cannot be read
	Flash      []byte
	Registers  map[uint32]uint32
	Button     bool // held at power-on: the loader runs, and only a reset of the whole chip ends it
	Loading    bool // the loader runs
	HideForce  bool // no register shows that the host had the loader started
	Leave      bool // Serve ends when it has started from flash by a watchdog

	Stuck     int          // offset of a byte that is written as 0; -1: none
	Refuse    map[byte]int // how often a command is refused,
	Code      byte         // and how
	Mute      map[byte]int // how often a command is carried out and not answered
	Short     map[byte]int // how often an answer ends too early
	Noise     []byte       // in front of every answer
	WrongSums int          // how often the MD5 of flash is told wrong
	Restarted func()       // called when it starts from flash

	Steps   []string // of the lines
	Started int      // from flash
	Erased  int      // how often flash was, for an image
	Wrong   []string // what no client may do

	mu       sync.Mutex // of what the lines and the loader both touch
	dtr, rts bool
	force    bool // the host wants the loader
	attached bool
	at, left int // in flash: where the next block goes, and how many are due
}

// New returns a chip with erased flash that runs something else.
func New(line io.ReadWriter) *ROM {
	r := &ROM{Faulty: flashtest.Faulty{Line: line}, Circuit: Native, ChipID: 5, Word: 0x1b31506f, Flash: make([]byte, 64<<10), Stuck: -1, Code: 6,
		Refuse: map[byte]int{}, Mute: map[byte]int{}, Short: map[byte]int{},
		// Both watchdogs run, as a program left them.
		Registers: map[uint32]uint32{0x60008090: 1 << 31, 0x600080ac: 1}}
	for i := range r.Flash {
		r.Flash[i] = 0xff
	}
	return r
}

// SetLines is the other end of the modem lines.
func (r *ROM) SetLines(dtr, rts bool) error {
	if r.Circuit == None {
		return fmt.Errorf("inappropriate ioctl for device")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Steps = append(r.Steps, fmt.Sprintf("%t,%t", dtr, rts))
	before := r.rts && !r.dtr
	reset := rts && !dtr
	r.dtr, r.rts = dtr, rts
	switch r.Circuit {
	case Transistor: // GPIO9 is read when EN rises
		if before && !reset {
			r.Button = dtr && !rts
			r.restart()
		}
	case Native:
		switch {
		case dtr && !rts:
			r.force = true
		case !dtr && !rts:
			r.force = false
		case reset && !before:
			r.restart()
		}
	}
	return nil
}

// restart is called with mu held.
func (r *ROM) restart() {
	r.attached, r.left, r.Loading = false, 0, r.force || r.Button
	r.Registers[0x60004038], r.Registers[0x3fcdf07c] = 0xf, 0
	if r.Circuit == Native {
		r.Registers[0x3fcdf07c] = 3
	}
	if r.Loading {
		if r.Button || !r.HideForce {
			r.Registers[0x60004038] = 0x5
		}
		r.write([]byte("ESP-ROM:esp32c3-api1-20210207\r\nBuild:Feb  7 2021\r\nrst:0x15 (USB_UART_CHIP_RESET),boot:0x5 (DOWNLOAD(USB/UART0/1))\r\nwaiting for download\r\n"))
		return
	}
	r.Started++
	r.write([]byte("ESP-ROM:esp32c3-api1-20210207\r\nBuild:Feb  7 2021\r\nrst:0x1 (POWERON),boot:0xd (SPI_FAST_FLASH_BOOT)\r\n"))
	if r.Restarted != nil {
		r.Restarted()
	}
}

// Hold has the loader run as after power-on with the button held.
func (r *ROM) Hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Button, r.Loading = true, true
	r.Registers[0x60004038] = 0x5
	if r.Circuit == Native {
		r.Registers[0x3fcdf07c] = 3
	}
}

// write is called with mu held.
func (r *ROM) write(p []byte) {
	_ = r.Put(p...) // a line that is closed takes nothing
}

// Serve runs until the line closes.
func (r *ROM) Serve() {
	defer func() { _ = recover() }()
	r.Listen()
	for {
		p := r.frame()
		r.mu.Lock()
		if r.Loading && p != nil {
			r.carryOut(p)
		}
		leave := r.Leave && r.Started > 0
		r.mu.Unlock()
		if leave {
			return
		}
	}
}

// frame is the next one from the host; nil: there was a wrong escape.
func (r *ROM) frame() []byte {
	for r.Next() != 0xc0 {
	}
	p := []byte{}
	for {
		switch b := r.Next(); {
		case b == 0xc0 && len(p) > 0:
			return p
		case b == 0xc0:
		case b == 0xdb:
			switch r.Next() {
			case 0xdc:
				p = append(p, 0xc0)
			case 0xdd:
				p = append(p, 0xdb)
			default:
				return nil
			}
		default:
			p = append(p, b)
		}
	}
}

// answer sends one, with the four bytes of status that the ROM has.
func (r *ROM) answer(command byte, value uint32, data []byte, code byte) {
	if r.Mute[command] > 0 {
		r.Mute[command]--
		return
	}
	body := append(data[:len(data):len(data)], 0, 0, 0, 0)
	if code != 0 {
		body = []byte{1, code, 0, 0}
	}
	p := []byte{1, command}
	p = binary.LittleEndian.AppendUint16(p, uint16(len(body)))
	p = binary.LittleEndian.AppendUint32(p, value)
	p = append(p, body...)
	if r.Short[command] > 0 {
		r.Short[command]--
		p = p[:9]
	}
	out := append([]byte{}, r.Noise...)
	out = append(out, 0xc0)
	for _, b := range p {
		switch b {
		case 0xc0:
			out = append(out, 0xdb, 0xdc)
		case 0xdb:
			out = append(out, 0xdb, 0xdd)
		default:
			out = append(out, b)
		}
	}
	r.write(append(out, 0xc0))
}

// lengths are those of the data of commands; -1: any.
var lengths = map[byte]int{2: 20, 3: -1, 8: 36, 9: 16, 0xa: 4, 0xb: 24, 0xd: 8, 0x13: 16, 0x14: 0}

func (r *ROM) carryOut(p []byte) {
	if len(p) < 8 || p[0] != 0 {
		return
	}
	command, data := p[1], p[8:]
	want, known := lengths[command]
	switch {
	case r.Refuse[command] > 0:
		r.Refuse[command]--
		r.answer(command, 0, nil, r.Code)
		return
	case command == 0x14 && r.Old:
		r.answer(0xff, 0, nil, 5) // not with the number that was asked for
		return
	case !known, (command == 9 || command == 0xa) && r.Secretive,
		int(binary.LittleEndian.Uint16(p[2:])) != len(data), want >= 0 && len(data) != want:
		r.answer(command, 0, nil, 5)
		return
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	do[command](r, command, words, p)
}

// do are what commands do.
var do = map[byte]func(r *ROM, command byte, words []uint32, p []byte){
	0x02: (*ROM).begin,
	0x03: (*ROM).block,
	0x08: func(r *ROM, c byte, _ []uint32, _ []byte) {
		for range 8 {
			r.answer(c, 0x20120707, nil, 0)
		}
	},
	0x09: (*ROM).set,
	0x0a: func(r *ROM, c byte, w []uint32, _ []byte) {
		if w[0] == 0x40001000 {
			r.answer(c, r.Word, nil, 0)
			return
		}
		r.answer(c, r.Registers[w[0]], nil, 0)
	},
	0x0b: func(r *ROM, c byte, w []uint32, _ []byte) {
		if w[0] != 0 || w[1] != 4<<20 || w[2] != 64<<10 || w[3] != 4<<10 || w[4] != 256 || w[5] != 0xffff {
			r.Wrong = append(r.Wrong, fmt.Sprintf("parameters of flash: %#x", w))
		}
		r.answer(c, 0, nil, 0)
	},
	0x0d: func(r *ROM, c byte, w []uint32, _ []byte) {
		r.attached = w[0] == 0 && w[1] == 0
		r.answer(c, 0, nil, 0)
	},
	0x13: func(r *ROM, c byte, w []uint32, _ []byte) {
		if uint64(w[0])+uint64(w[1]) > uint64(len(r.Flash)) {
			r.answer(c, 0, nil, 9)
			return
		}
		sum := md5.Sum(r.Flash[w[0] : w[0]+w[1]])
		if r.WrongSums > 0 {
			r.WrongSums--
			sum[0]++
		}
		r.answer(c, 0, []byte(hex.EncodeToString(sum[:])), 0)
	},
	0x14: func(r *ROM, c byte, _ []uint32, _ []byte) {
		info := binary.LittleEndian.AppendUint32(nil, r.Flags)
		info = append(info, r.CryptCount, 0, 0, 0, 0, 0, 0, 0)
		info = binary.LittleEndian.AppendUint32(info, r.ChipID)
		info = append(info, 3, 0, 0, 0)
		if r.NoID {
			info = info[:12]
		}
		r.answer(c, 0, info, 0)
	},
}

// begin erases.
func (r *ROM) begin(command byte, w []uint32, _ []byte) {
	size, count, block, at := w[0], w[1], w[2], w[3]
	if !r.attached || w[4] != 0 || block != 0x400 || uint64(at)+uint64(size) > uint64(len(r.Flash)) || at%4096 != 0 || uint64(count)*uint64(block) > uint64(size) {
		r.answer(command, 0, nil, 6)
		return
	}
	for i := at; i < at+(size+4095)/4096*4096; i++ {
		r.Flash[i] = 0xff
	}
	r.Erased++
	r.at, r.left = int(at), int(count)
	r.answer(command, 0, nil, 0)
}

// block writes to where the last one ended, whatever number the host gives it.
func (r *ROM) block(command byte, w []uint32, p []byte) {
	const head = 8 + 16
	if len(p) < head || int(w[0]) != len(p)-head || w[0] != 0x400 || r.left == 0 {
		r.answer(command, 0, nil, 5)
		return
	}
	sum := byte(0xef)
	for _, b := range p[head:] {
		sum ^= b
	}
	if binary.LittleEndian.Uint32(p[4:]) != uint32(sum) {
		r.answer(command, 0, nil, 7)
		return
	}
	for _, b := range p[head:] {
		r.Flash[r.at] &= b // writing clears bits only
		if r.at == r.Stuck {
			r.Flash[r.at] = 0
		}
		r.at++
	}
	r.left--
	r.answer(command, 0, nil, 0)
}

// set writes a register, which a watchdog's key protects.
func (r *ROM) set(command byte, w []uint32, _ []byte) {
	address, value := w[0], w[1]&w[2]
	switch address {
	case 0x60008090, 0x60008094:
		if r.Registers[0x600080a8] != 0x50d83aa1 {
			r.Wrong = append(r.Wrong, fmt.Sprintf("register %#x is written while it is locked", address))
		}
	case 0x600080ac:
		if r.Registers[0x600080b0] != 0x8f1d312a {
			r.Wrong = append(r.Wrong, fmt.Sprintf("register %#x is written while it is locked", address))
		}
	}
	r.Registers[address] = value
	if address == 0x60008090 && value == 1<<31|5<<28|1<<8|2 && r.Registers[0x60008094] > 0 {
		r.answer(command, 0, nil, 0)
		r.Button, r.force = false, false // let go of by now
		r.restart()
		return
	}
	r.answer(command, 0, nil, 0)
}
