package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/stm32"
	"github.com/copaflash/copaflash/protocol/transport"
)

// maxBootBaud is the highest rate that the boot loaders find out by themselves.
const maxBootBaud = 115200

// flashSerial programs a board through the boot loader in its ROM.
func (a *app) flashSerial(ctx context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	if flags.dfu {
		if b.Flash.STM32.DFU == "" {
			return &failure{Code: exitUsage, Message: b.Name + " has no USB port of its boot loader", Hint: "name a serial port with --port; " + b.Flash.STM32.Enter}
		}
		return a.flashDFU(ctx, b, r)
	}
	if flags.baud < 1200 || flags.baud > maxBootBaud {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--baud %d: the boot loader finds rates from 1200 to %d by itself", flags.baud, maxBootBaud), Hint: "omit --baud"}
	}
	port := flags.loaderPort()
	if port == "" {
		hint := "see copaflash ports, then name it with --port; " + b.Flash.STM32.Enter
		if b.Flash.STM32.DFU != "" {
			hint += "; or by USB, with --dfu: " + b.Flash.STM32.DFU
		}
		return &failure{Code: exitNoDevice, Message: "no port given", Hint: hint}
	}
	img, err := b.Flat()
	if err != nil {
		return err
	}
	chip := stm32.Chip{ID: uint16(b.Flash.STM32.ChipID), Flash: uint32(b.Flash.STM32.Flash)}
	for _, s := range b.Flash.STM32.Sectors {
		for range s.Count {
			chip.Sectors = append(chip.Sectors, s.Bytes)
		}
	}
	line, err := transport.OpenSerialEven(port, flags.baud)
	if err != nil {
		return err
	}
	defer line.Close()
	err = stm32.Program(ctx, line, chip, uint32(img.Address), img.Data, stm32.Options{
		Timing: stm32.DefaultTiming, Unlock: flags.unlock, Progress: a.stage,
	})
	if err != nil {
		return bootFailure(b, port, err)
	}
	r.Port, r.Bytes = port, len(img.Data)
	r.Next = "the runner was started; set BOOT0 low, so that it starts after a reset, too; next: copaflash info --port PORT (UART: copaflash boards " + b.Name + ")"
	return nil
}

// stage shows how far the boot loader is: what it writes is counted in bytes.
func (a *app) stage(name string, done, total int) {
	if name == "write" {
		a.ui.progress(name, done, total)
		return
	}
	a.ui.steps(name, done, total)
}

// bootFailure finds exit code and next step for what the boot loader said.
func bootFailure(b *boards.Board, port string, err error) error {
	f := classify(fmt.Errorf("%s: %w", port, err))
	var chip *stm32.ChipError
	var verify *stm32.VerifyError
	switch {
	case errors.Is(err, stm32.ErrSilent):
		f.Code, f.Hint = exitTransport, b.Flash.STM32.Enter
	case errors.As(err, &chip):
		f.Code = exitIncompatible
	case errors.Is(err, stm32.ErrProtected):
		f.Hint = "--unlock lifts the protection, which erases the whole chip"
	case errors.As(err, &verify):
		f.Code, f.Hint = exitVerify, "flash cannot be written there: try again, else the chip is worn or damaged"
	case f.Hint == "":
		f.Code, f.Hint = exitTransport, "reset the board into its boot loader and try again, with a lower --baud if the line is noisy"
	}
	return f
}
