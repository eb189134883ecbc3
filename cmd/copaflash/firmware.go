package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/firmware/build/runner"
)

// firmwareResult is what firmware build prints with --json.
type firmwareResult struct {
	document
	Board string `json:"board"`
	File  string `json:"file"`
	Bytes int    `json:"bytes"`

	Warnings string   `json:"warnings,omitempty"` // of the compiler
	Channels []string `json:"channels,omitempty"` // that variables can be bound to: "./display.json.number"
}

func firmwareCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "firmware",
		Short: "Build the runner of a board with drivers of your own",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.askForVerb(c) },
	}
	c.AddCommand(firmwareBuildCommand(a))
	return c
}

func firmwareBuildCommand(a *app) *cobra.Command {
	var with []string
	var output string
	c := &cobra.Command{
		Use:   "build BOARD",
		Short: "Build the runner of a board with drivers of your own",
		Long: `Compile the runner of a board together with a driver in C, whose registers loops then
access as those of the chip. The sources of the runner are in this program; the compiler is
the one of the board's architecture, which must be installed. docs/own-drivers.md says what a
driver consists of.`,
		Example: `  copaflash firmware build pico --with display.c
  copaflash flash pico --runner pico.elf
  copaflash firmware build mps2-an386 --with encoder.c --with spi.c -o runner.elf`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &failure{Code: exitUsage, Message: "firmware build takes the name of one board", Hint: "see: copaflash boards"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.buildFirmware(c.Context(), args[0], with, output)
		},
	}
	c.Flags().StringArrayVar(&with, "with", nil, "file in C of the driver; several may be given")
	c.Flags().StringVarP(&output, "output", "o", "", "image to write (default: the name of the board's image)")
	return c
}

func (a *app) buildFirmware(ctx context.Context, name string, with []string, output string) error {
	b, err := findBoard(name)
	if err != nil {
		return err
	}
	if len(with) == 0 {
		return &failure{Code: exitUsage, Message: "there is no driver to build it with", Hint: "--with driver.c; the runner without one is what copaflash flash " + name + " writes"}
	}
	if output == "" {
		output = b.ImageFile
	}
	if err := checkDrivers(with); err != nil {
		return err
	}
	if err := checkOutput(output); err != nil {
		return err
	}
	list, err := driverChannels(with)
	if err != nil {
		return err
	}
	image, warnings, err := runner.BuildOwn(ctx, b, with)
	var missing *runner.MissingError
	var source *runner.SourceError
	switch {
	case errors.As(err, &missing):
		return &failure{Code: exitFailed, Message: missing.Tool + " is not installed", Hint: "on Debian: apt install " + missing.Package}
	case errors.As(err, &source):
		return &failure{Code: exitUsage, Message: source.Error(), Hint: "platform/driver.h, as docs/own-drivers.md shows it, says what a driver defines"}
	case err != nil:
		return err
	}
	if warnings != "" {
		a.ui.note("%s", warnings)
	}
	if err := replaceFile(output, image, 0o644); err != nil {
		return cannotWrite(output, err)
	}
	if a.ui.json {
		return a.ui.doc(firmwareResult{okDocument("firmware build"), b.Name, output, len(image), warnings, list})
	}
	a.ui.out("wrote %s: %d bytes\n", output, len(image))
	for _, c := range list {
		a.ui.note("to bind: --bind VARIABLE=%s", c)
	}
	return nil
}

// driverChannels are those of the files that lie beside drivers, display.json of display.c, as bindings name them.
func driverChannels(with []string) (list []string, err error) {
	for _, source := range with {
		file := strings.TrimSuffix(source, ".c") + ".json"
		text, err := bind.ReadFile(file, chips.MaxDevice)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d, err := chips.ParseDriver(file, text)
		if err != nil {
			return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: "docs/own-drivers.md describes the file beside a driver", File: file}
		}
		if !strings.ContainsRune(filepath.ToSlash(file), '/') {
			file = "./" + file
		}
		for _, way := range []chips.Direction{chips.In, chips.Out} {
			for _, c := range d.Names(way) {
				list = append(list, file+"."+c)
			}
		}
	}
	return list, nil
}

// checkDrivers refuses what no compiler would take for C.
func checkDrivers(files []string) error {
	for _, file := range files {
		info, err := os.Stat(file)
		hint := "--with names a file that ends with .c; others of the driver are included by it"
		switch {
		case err != nil:
			return &failure{Code: exitUsage, Message: file + " is not there", Hint: hint}
		case !info.Mode().IsRegular() || filepath.Ext(file) != ".c":
			return &failure{Code: exitUsage, Message: file + " is no source file in C", Hint: hint}
		}
	}
	return nil
}

// checkOutput looks before the compiler has taken its time.
func checkOutput(file string) error {
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return cannotWrite(file, err)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return &failure{Code: exitUsage, Message: file + " is a folder", Hint: "name a file for the image with -o"}
	}
	return nil
}

// maxRunner bounds what is read as a runner's image.
const maxRunner = 64 << 20

func runnerFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "runner", "", "image of the board's runner, as firmware build makes it (default: the one in this program)")
}

// useRunner takes the image in a file, if there is one, for a board.
func useRunner(b *boards.Board, file string) error {
	if file == "" {
		return nil
	}
	image, err := readFile(file, maxRunner)
	if err != nil {
		return err
	}
	if err := b.Use(image); err != nil {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("%s is no runner of %s: %v", file, b.Name, err),
			Hint: "copaflash firmware build " + b.Name + " makes one", File: file}
	}
	return nil
}
