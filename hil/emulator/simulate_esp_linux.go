package emulator

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"

	"github.com/copaflash/copaflash/boards"
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
	data := append([]byte{}, flat.Data...)
	for len(data)%4 != 0 {
		data = append(data, 0)
	}
	return esp32c3.New(esp32c3.Image{Entry: uint32(file.Entry), Address: uint32(flat.Address), Data: data})
}

func simulateChip(ctx context.Context, chip *esp32c3.Chip) (*Simulation, error) {
	port, err := newUSBPort()
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	chip.Open(false)
	running, kill := context.WithCancel(ctx)
	s := &Simulation{serial: port.name, commands: chipCommands(chip)}
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
func chipCommands(chip *esp32c3.Chip) map[string]command {
	done := map[string]any{}
	opened := 0 // how often, by whoever has not closed it yet
	return map[string]command{
		"state": func(map[string]any) (any, error) { return chip.State(), nil },
		"reset": func(map[string]any) (any, error) {
			chip.Reset()
			return done, nil
		},
		"hang": func(args map[string]any) (any, error) {
			pc, err := argument(args, "pc")
			return map[string]any{"hung": err == nil && chip.Hang(pc)}, err
		},
		"lines": func(args map[string]any) (any, error) {
			ready, ok := args["ready"].(bool)
			if !ok {
				return nil, fmt.Errorf("emulator: lines without ready")
			}
			if opened--; ready {
				opened += 2
			}
			chip.Open(opened > 0)
			return done, nil
		},
		"coding": func(map[string]any) (any, error) { return done, nil }, // the port has no rate
	}
}

// argument reads a number, of whatever type of integer.
func argument(args map[string]any, name string) (n uint32, err error) {
	text, err := json.Marshal(args[name])
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil || args[name] == nil {
		return 0, fmt.Errorf("emulator: %s: want a number", name)
	}
	return n, nil
}
