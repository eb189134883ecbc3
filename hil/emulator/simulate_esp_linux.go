package emulator

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/esp"
	"github.com/copaflash/copaflash/hil/emulator/esp32c3"
)

// simulateESP32C3 starts a board with an ESP32-C3 on package esp32c3, whose serial port over USB is its TTY.
func simulateESP32C3(ctx context.Context, board boards.Board) (*Simulation, error) {
	chip, err := chipOf(board)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	return simulateChip(ctx, chip)
}

// chipOf has the board's runner in flash memory.
func chipOf(board boards.Board) (*esp32c3.Chip, error) {
	flat, err := board.Flat()
	if err != nil {
		return nil, err
	}
	file, err := elf.NewFile(bytes.NewReader(board.Image))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", board.ImageFile, err)
	}
	content, err := esp.Encode(esp32c3.ChipID, uint32(file.Entry), uint32(flat.Address), flat.Data)
	if err != nil {
		return nil, err
	}
	image, err := esp32c3.FromFlash(content)
	if err != nil {
		return nil, err
	}
	chip, err := esp32c3.New(image)
	if err != nil {
		return nil, err
	}
	chip.Seed(1 | rand.Uint32()) // a host tells starts of a runner by a number that it draws
	return chip, nil
}

func simulateChip(ctx context.Context, chip *esp32c3.Chip) (*Simulation, error) {
	port, err := newUSBPort()
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	chip.Open(false)
	running, kill := context.WithCancel(ctx)
	s := &Simulation{serial: port.name, commands: chipCommands(chip, port.name)}
	s.Machine = &Machine{name: "esp32c3", tty: port.name, kill: kill, output: newOutput(), done: make(chan struct{})}
	s.remove = func() {
		port.theirs.Close()
		port.close()
	}
	go port.carry(s.Do)
	go func() {
		s.exit = chip.Serve(running, port.theirs)
		close(s.done)
	}()
	return s, nil
}

// A command carries out what Do is asked for.
type command func(args map[string]any) (answer any, err error)

// chipCommands are those of a simulated ESP32-C3, and what a port over USB tells.
func chipCommands(chip *esp32c3.Chip, tty string) map[string]command {
	done := map[string]any{}
	return map[string]command{
		"state": func(map[string]any) (any, error) { return chip.State(), nil },
		"reset": func(map[string]any) (any, error) {
			chip.Reset()
			return done, nil
		},
		"hang": func(map[string]any) (any, error) { return map[string]any{"hung": chip.Hang()}, nil },
		"lines": func(args map[string]any) (any, error) {
			ready, ok := args["ready"].(bool)
			if !ok {
				return nil, fmt.Errorf("emulator: lines without ready")
			}
			if !ready { // events that are the same may have been told once: who else has it open?
				ready = holders(tty) > 1
			}
			chip.Open(ready)
			return done, nil
		},
		"drive": func(args map[string]any) (any, error) {
			pin, _ := args["pin"].(int)
			if high, driven := args["high"].(bool); driven {
				chip.Drive(pin, high)
			} else {
				chip.Release(pin)
			}
			return done, nil
		},
		"meter": func(args map[string]any) (any, error) {
			pin, _ := args["pin"].(int)
			return chip.State().Pins[pin], nil
		},
		"coding": func(map[string]any) (any, error) { return done, nil }, // the port has no rate
	}
}

// holders counts how often a file is open, in processes that can be looked at; one of them is this one, which holds the terminal.
func holders(path string) (count int) {
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		if name, err := os.Readlink(file); err == nil && name == path {
			count++
		}
	}
	return count
}
