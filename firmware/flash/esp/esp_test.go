package esp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/esp/romtest"
)

var c3 = Chip{ID: 5, Name: "ESP32-C3"}

func program(t *testing.T) []byte {
	t.Helper()
	data := make([]byte, 2900)
	for i := range data {
		data[i] = byte(i*31 + i>>8)
	}
	image, err := Encode(5, 0x4038_0000, 0x3fc8_0000, data)
	require.NoError(t, err)
	return image
}

// try programs a simulated chip and waits until that is done with the line. Time passes only while nobody has anything to do.
func try(t *testing.T, set func(*romtest.ROM), o Options) (r *romtest.ROM, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		host, board := net.Pipe()
		r = romtest.New(board)
		if set != nil {
			set(r)
		}
		go r.Serve()
		o.Timing = DefaultTiming
		o.Lines = r
		err = Program(t.Context(), host, c3, 0, program(t), o)
		synctest.Wait() // for the last command, too
		host.Close()
	})
	return r, err
}

// stored checks that the image is there as the ROM wants it, that the chip has started it, and that nothing else was touched.
func stored(t *testing.T, r *romtest.ROM) {
	t.Helper()
	image := program(t)
	require.Equal(t, image, r.Flash[:len(image)])
	rest := r.Flash[len(image):]
	require.Equal(t, bytes.Repeat([]byte{0xff}, len(rest)), rest)
	require.False(t, r.Loading)
	require.Positive(t, r.Started)
	require.Empty(t, r.Wrong)
}

func TestProgram(t *testing.T) {
	stages := map[string]bool{}
	r, err := try(t, func(r *romtest.ROM) {
		for i := range 4096 {
			r.Flash[i] = 0x55
		}
	}, Options{Wiring: USB, Progress: func(stage string, done, total int) { stages[stage] = done == total }})
	require.NoError(t, err)
	stored(t, r)
	require.Equal(t, map[string]bool{"connect": true, "erase": true, "write": true, "verify": true}, stages)
	require.Equal(t, 1, r.Started)
}

// TestWirings: whatever the lines lead to, the loader is found and the image is started, with the lines where they can do it.
func TestWirings(t *testing.T) {
	const idle, enter = "false,false", "true,false"
	for _, tt := range []struct {
		name   string
		wiring Wiring
		set    func(*romtest.ROM)
		calm   bool
		steps  string // "": not looked at
	}{
		{"USB", USB, nil, true, "false,false true,false true,true false,true false,false"},
		{"USB, strapping pins as they are", USB, func(r *romtest.ROM) { r.HideForce = true }, true,
			"false,false true,false true,true false,true false,false" + " false,false false,true false,false"},
		{"USB, by the button", USB, func(r *romtest.ROM) { r.Hold() }, true, ""},
		{"USB, but nobody knows", Unknown, nil, true, ""},
		{"bridge", Bridge, func(r *romtest.ROM) { r.Circuit = romtest.Transistor }, false,
			"false,false true,true false,true true,false false,false" + " false,false false,true false,false"},
		{"bridge, but nobody knows", Unknown, func(r *romtest.ROM) { r.Circuit = romtest.Transistor }, false, ""},
		{"no lines, by the button", Unknown, func(r *romtest.ROM) { r.Circuit = romtest.None; r.Hold() }, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := try(t, tt.set, Options{Wiring: tt.wiring})
			require.NoError(t, err)
			stored(t, r)
			if tt.steps != "" {
				require.Equal(t, tt.steps, strings.Join(r.Steps, " "))
			}
			if tt.calm {
				require.NotZero(t, r.Registers[0x6000_80ac]&(1<<31), "the super watchdog is fed")
				require.EqualValues(t, 1, r.Registers[0x6000_80ac]&^(1<<31), "and is otherwise as it was")
				require.NotEqual(t, uint32(1<<31), r.Registers[0x6000_8090], "the watchdog is stopped, or resets the chip now")
			} else {
				require.EqualValues(t, 1, r.Registers[0x6000_80ac], "a reset by EN stops the watchdogs")
			}
			for i := 1; i < len(r.Steps); i++ {
				require.False(t, r.Steps[i-1] == enter && r.Steps[i] == idle && tt.wiring == USB, "what was asked for is taken back")
			}
		})
	}
}

// Lines that lead nowhere reset nothing: the image is stored, and the user is to reset the board.
func TestUnwired(t *testing.T) {
	r, err := try(t, func(r *romtest.ROM) { r.Circuit = romtest.Unwired; r.Hold() }, Options{Wiring: Bridge})
	require.NoError(t, err)
	require.True(t, r.Loading)
	image := program(t)
	require.Equal(t, image, r.Flash[:len(image)])

	_, err = try(t, func(r *romtest.ROM) { r.Circuit = romtest.Unwired }, Options{Wiring: Bridge})
	require.ErrorIs(t, err, ErrSilent)
}

// TestLineFaults loses and changes each byte of the first messages, in both directions, and some later ones. Commands have no sum but that
// of a block: what a changed one does is found by the sum of flash.
func TestLineFaults(t *testing.T) {
	const start = 3550 // bytes: then the image is stored, and the chip is to start it
	image := program(t)
	for i := range 4200 {
		if i >= 500 && i%97 != 0 && (i < start || i%7 != 0) {
			continue // among them blocks, then the start
		}
		once := map[int]bool{i: true}
		for name, set := range map[string]func(*romtest.ROM){
			"byte to the chip lost":                    func(r *romtest.ROM) { r.Lose = once },
			"byte to the chip changed":                 func(r *romtest.ROM) { r.Flip = once },
			"byte from the chip lost":                  func(r *romtest.ROM) { r.LoseAnswer = once },
			"byte from the chip is the end of a frame": func(r *romtest.ROM) { r.Change = map[int]byte{i: 0xc0} },
			"byte from the chip is 1":                  func(r *romtest.ROM) { r.Change = map[int]byte{i: 1} },
		} {
			r, err := try(t, set, Options{Wiring: USB})
			assert.NoError(t, err, "%s, number %d", name, i)
			assert.True(t, bytes.Equal(image, r.Flash[:len(image)]), "%s, number %d", name, i)
			if i < start || name != "byte to the chip changed" { // what has no sum may do anything, and nobody is asked any more
				assert.Positive(t, r.Started, "%s, number %d", name, i)
			}
		}
	}
}

// A block that the loader has written although its answer was lost would come twice, if it was just sent again.
func TestAnswersLost(t *testing.T) {
	trials := map[string]func(*romtest.ROM){}
	for _, command := range []byte{2, 3, 8, 9, 0xa, 0xb, 0xd, 0x13, 0x14} {
		for name, set := range map[string]func(*romtest.ROM){
			"not answered": func(r *romtest.ROM) { r.Mute[command] = 1 },
			"cut":          func(r *romtest.ROM) { r.Short[command] = 1 },
			"refused":      func(r *romtest.ROM) { r.Refuse[command] = 1; r.Code = 7 },
		} {
			trials[fmt.Sprintf("%#02x %s", command, name)] = set
		}
	}
	for name, set := range trials {
		r, err := try(t, set, Options{Wiring: USB})
		require.NoError(t, err, name)
		stored(t, r)
	}
}

func TestNoise(t *testing.T) {
	trials := map[string]func(*romtest.ROM){}
	for _, noise := range []string{"I (31) boot: hello\r\n", "\xc0", "\xc0\x01", "\xdb\xdb\x00", "\x01\x08\xc0\x01\x02\x00", strings.Repeat("x", 5000) + "\xc0"} {
		trials[fmt.Sprintf("%.20q", noise)] = func(r *romtest.ROM) { r.Noise = []byte(noise) }
	}
	for name, set := range trials {
		r, err := try(t, set, Options{Wiring: USB})
		require.NoError(t, err, name)
		stored(t, r)
	}
}

func TestRefused(t *testing.T) {
	trials := map[string]func(*romtest.ROM){
		"store: write 0x0: the boot loader refused command 0x03: unknown reason (0x77)": func(r *romtest.ROM) { r.Refuse[3] = 1000; r.Code = 0x77 },
	}
	for command, stage := range map[byte]string{0x02: "erase", 0x03: "write 0x0", 0x0b: "attach the flash", 0x0d: "attach the flash", 0x13: "verify"} {
		trials[fmt.Sprintf("store: %s: the boot loader refused command %#02x: failed (0x06)", stage, command)] = func(r *romtest.ROM) { r.Refuse[command] = 1000 }
	}
	for want, set := range trials {
		r, err := try(t, set, Options{Wiring: USB})
		require.EqualError(t, err, want)
		require.Zero(t, r.Started)
		var status *StatusError
		require.ErrorAs(t, err, &status)
		require.Equal(t, r.Code, status.Code)
	}
}

func TestChips(t *testing.T) {
	for want, set := range map[string]func(*romtest.ROM){
		"the chip is not an ESP32-C3: it is an ESP32-S3": func(r *romtest.ROM) { r.ChipID = 9 },
		"it is one with the number 0x10005":              func(r *romtest.ROM) { r.ChipID = 0x10005 },
		"it is an older or unknown one (0xf01d83)":       func(r *romtest.ROM) { r.Old = true; r.Word = 0xf01d83 },
		"it is an older or unknown one (0x7c6)":          func(r *romtest.ROM) { r.NoID = true; r.Word = 0x7c6 },
		"locked: its boot loader tells nothing":          func(r *romtest.ROM) { r.Old, r.Secretive = true, true },
		"locked: its boot loader stores nothing":         func(r *romtest.ROM) { r.Flags = 1 << 2; r.Secretive = true },
		"locked: it starts signed images only":           func(r *romtest.ROM) { r.Flags = 1 },
		"locked: it starts encrypted images only":        func(r *romtest.ROM) { r.CryptCount = 1 },
	} {
		r, err := try(t, set, Options{Wiring: USB})
		require.ErrorContains(t, err, want)
		require.Equal(t, bytes.Repeat([]byte{0xff}, len(r.Flash)), r.Flash)
		var chip *ChipError
		var security *SecurityError
		require.True(t, errors.As(err, &chip) || errors.As(err, &security))
	}
	for name, set := range map[string]func(*romtest.ROM){
		"an old revision":             func(r *romtest.ROM) { r.Old = true },
		"encryption switched off":     func(r *romtest.ROM) { r.CryptCount = 3 },
		"a fuse that does not matter": func(r *romtest.ROM) { r.Flags = 1 << 6 },
	} {
		r, err := try(t, set, Options{Wiring: USB})
		require.NoError(t, err, name)
		stored(t, r)
	}
}

func TestVerify(t *testing.T) {
	for wrong, erased := range map[int]int{0: 1, 1: 1, 2: 2} {
		r, err := try(t, func(r *romtest.ROM) { r.WrongSums = wrong }, Options{Wiring: USB})
		require.NoError(t, err)
		stored(t, r)
		require.Equal(t, erased, r.Erased, "a sum may come wrong from the line, but not twice")
	}
	_, err := try(t, func(r *romtest.ROM) { r.Stuck = 700 }, Options{Wiring: USB})
	var v *VerifyError
	require.ErrorAs(t, err, &v)
	require.Regexp(t, `^store: flash from 0x0 on has the MD5 "[0-9a-f]{32}" instead of [0-9a-f]{32}$`, err.Error())
}

func TestSilence(t *testing.T) {
	// A program that was started instead of the loader, and says so.
	_, err := try(t, func(r *romtest.ROM) { r.Circuit = romtest.Native }, Options{Wiring: Bridge})
	var mode *BootModeError
	require.ErrorAs(t, err, &mode)
	require.Equal(t, "0xd (SPI_FAST_FLASH_BOOT)", mode.Mode)

	onPipe := func(board func(net.Conn), check func(error)) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			host, b := net.Pipe()
			board(b)
			check(Program(t.Context(), host, c3, 0, program(t), Options{Timing: DefaultTiming}))
			host.Close()
			b.Close()
		})
	}
	// Nobody reads.
	onPipe(func(net.Conn) {}, func(err error) { require.ErrorIs(t, err, ErrSilent) })
	// Somebody talks.
	onPipe(func(board net.Conn) {
		go func() {
			for {
				if _, err := board.Write([]byte("\xc0hello\xc0")); err != nil {
					return
				}
			}
		}()
		go func() { _, _ = io.Copy(io.Discard, board) }()
	}, func(err error) {
		require.ErrorIs(t, err, ErrSilent)
		require.ErrorContains(t, err, "keeps talking")
	})
	// The line ends.
	onPipe(func(board net.Conn) { board.Close() }, func(err error) { require.ErrorIs(t, err, io.EOF) })
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, board := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond) // while the lines are set
		defer cancel()
		r := romtest.New(board)
		go r.Serve()
		err := Program(ctx, host, c3, 0, program(t), Options{Timing: DefaultTiming, Lines: r, Wiring: USB})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		host.Close()
	})
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		offset uint32
		size   int
	}{{0, 0}, {0x100, 16}, {0x40_0000, 16}, {0x3f_f000, 4097}} {
		err := Program(t.Context(), nil, c3, tt.offset, make([]byte, tt.size), Options{})
		require.ErrorContains(t, err, "are not within", "%+v", tt)
	}
}

// The line ends with the chip's reset, as a USB port does.
func TestPortVanishes(t *testing.T) {
	for _, hide := range []bool{false, true} {
		r, err := try(t, func(r *romtest.ROM) {
			r.HideForce = hide
			r.Restarted = func() { _ = r.Line.(io.Closer).Close() }
		}, Options{Wiring: USB})
		require.NoError(t, err)
		stored(t, r)
	}
}
