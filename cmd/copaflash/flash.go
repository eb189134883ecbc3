package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/sdcard"
)

// flashFlags are the flags of flash.
type flashFlags struct {
	to     string
	config string
	recipe bool
	port   string
	baud   int
	unlock bool
	runner string
	wait   time.Duration
	dfu    bool
	given  func(flag string) bool
}

// loaderPort is the port of a boot loader; "": none was named, for a boot loader does not say HELLO, which auto looks for.
func (f *flashFlags) loaderPort() string {
	port := f.port
	if port == "" {
		port = os.Getenv("COPAFLASH_PORT")
	}
	if port == autoPort {
		return ""
	}
	return port
}

// flashResult is what flash prints with --json.
type flashResult struct {
	document
	Board     string          `json:"board"`
	Method    boards.Method   `json:"method"`
	To        string          `json:"to,omitempty"`
	Port      string          `json:"port,omitempty"`
	Running   bool            `json:"running,omitempty"` // the runner has answered since
	Bytes     int             `json:"bytes,omitempty"`   // stored and verified
	Written   []string        `json:"written"`
	Unchanged []string        `json:"unchanged,omitempty"`
	Kept      []string        `json:"kept,omitempty"`    // files of others, left alone
	Backup    string          `json:"backup,omitempty"`  // of a file of others
	Missing   []string        `json:"missing,omitempty"` // files that the card needs, too
	Recipes   []boards.Recipe `json:"recipes,omitempty"`
	Next      string          `json:"next,omitempty"`
}

// flashMethods are the ways to flash, by what board.json says.
var flashMethods = map[boards.Method]func(*app, context.Context, *boards.Board, flashFlags, *flashResult) error{
	boards.MethodSDFiles: (*app).flashCard,
	boards.MethodUF2:     (*app).flashDrive,
	boards.MethodDrive:   (*app).flashProbe,
	boards.MethodSTM32:   (*app).flashSerial,
	boards.MethodESP:     (*app).flashESP,
	boards.MethodRecipe:  (*app).flashRecipe,
}

// flashFlagsOf are the flags that a way to flash takes; one of another way was meant for
// another board, and is not passed over in silence.
var flashFlagsOf = map[boards.Method][]string{
	boards.MethodSDFiles: {"to", "config"},
	boards.MethodUF2:     {"to", "port"},
	boards.MethodDrive:   {"to", "wait"},
	boards.MethodSTM32:   {"port", "baud", "unlock", "dfu"},
	boards.MethodESP:     {"port", "wait"},
	boards.MethodRecipe:  {"to"},
}

// check refuses flags that do nothing for a board.
func (f *flashFlags) check(b *boards.Board) error {
	method := b.Flash.Method
	if f.recipe {
		method = boards.MethodRecipe
	}
	for _, name := range []string{"to", "config", "port", "baud", "unlock", "wait", "dfu"} {
		if f.given(name) && !slices.Contains(flashFlagsOf[method], name) {
			takes := "--" + strings.Join(flashFlagsOf[method], ", --")
			return &failure{Code: exitUsage, Message: fmt.Sprintf("--%s does not apply to %s, which is flashed by %s", name, b.Name, method),
				Hint: "that takes " + takes + "; see copaflash flash --help"}
		}
	}
	return nil
}

func flashCommand(a *app) *cobra.Command {
	var flags flashFlags
	c := &cobra.Command{
		Use:   "flash BOARD",
		Short: "Write the runner to a board: SD card files, a USB drive, boot loader, or a recipe",
		Long: `Write the runner to a board. The method depends on the board:

  sd-files    files for the boot partition of a Raspberry Pi's card, into a folder or
              a mounted card (--to); devices are never written
  uf2         a file for the USB drive of the boot ROM, which is found if mounted; a runner
              on USB is asked for that drive (--port, if there are several)
  drive       a file for the USB drive of the debug probe on the board (micro:bit, Nucleo),
              which is found if mounted; waits until the runner answers (--wait)
  stm32-uart  the boot loader in the ROM of an STM32, over a serial port (--port): erases
              what is needed, writes, verifies, starts the runner
              or over its USB port (--dfu, Linux)
  esp-uart    the boot loader in the ROM of an ESP32-C3, over the chip's own USB port, which is
              found if there is one, or another serial port (--port): resets the board, writes,
              verifies, starts the runner, and waits until it answers (--wait)
  recipe      commands for other tools; --recipe shows them for any board

The runners of all boards are part of this program; --runner takes one with drivers of your own.`,
		Example: `  copaflash flash rpi3 --to /media/me/bootfs
  copaflash flash rpi3 --to /media/me/bootfs --config merge   # beside another system
  copaflash flash stm32vldiscovery --port /dev/ttyUSB0
  copaflash flash netduinoplus2 --dfu
  copaflash flash nucleo-f446re                               # by the drive of its ST-Link
  copaflash flash esp32-c3 --port /dev/ttyACM0
  copaflash flash rpi4 --recipe --to .                        # image files and what to do with them
  copaflash flash pico --runner pico.elf                      # as firmware build has made it`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &failure{Code: exitUsage, Message: "flash takes the name of one board", Hint: "see: copaflash boards"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			flags.given = func(name string) bool { return c.Flags().Changed(name) }
			return a.flash(c.Context(), args[0], flags)
		},
	}
	c.Flags().StringVar(&flags.to, "to", "", "folder or mounted card to write to")
	c.Flags().StringVar(&flags.config, "config", "", "what to do with an existing config.txt: merge, replace or keep (default: refuse)")
	c.Flags().BoolVar(&flags.recipe, "recipe", false, "show how to flash with other tools; with --to write the image files")
	c.Flags().StringVarP(&flags.port, "port", "p", "", "serial port of the boot loader (or COPAFLASH_PORT), or of the runner")
	c.Flags().IntVar(&flags.baud, "baud", maxBootBaud, "rate of that port in bits per second")
	c.Flags().BoolVar(&flags.unlock, "unlock", false, "lift a readout protection, which erases the whole chip")
	c.Flags().BoolVar(&flags.dfu, "dfu", false, "use the USB port of the boot loader instead of a serial port (Linux)")
	c.MarkFlagsMutuallyExclusive("dfu", "port")
	c.MarkFlagsMutuallyExclusive("dfu", "unlock")
	c.Flags().DurationVar(&flags.wait, "wait", defaultWait, "how long to wait for the runner to answer; 0: not at all")
	runnerFlag(c, &flags.runner)
	return c
}

func (a *app) flash(ctx context.Context, name string, flags flashFlags) error {
	b, err := findBoard(name)
	if err != nil {
		return err
	}
	return a.flashBoard(ctx, b, flags)
}

func (a *app) flashBoard(ctx context.Context, b *boards.Board, flags flashFlags) error {
	if b.Flash == nil {
		hint := "see copaflash boards for those that can be flashed"
		if b.QEMU != nil {
			hint = "it is an emulated board: copaflash emulate " + b.Name
		}
		return &failure{Code: exitUsage, Message: b.Name + " has nothing to flash", Hint: hint}
	}
	if err := flags.check(b); err != nil {
		return err
	}
	if err := useRunner(b, flags.runner); err != nil {
		return err
	}
	method := flashMethods[b.Flash.Method]
	if flags.recipe {
		method = (*app).flashRecipe
	}
	r := &flashResult{document: okDocument("flash"), Board: b.Name, Method: b.Flash.Method, To: flags.to, Written: []string{}}
	if err := method(a, ctx, b, flags, r); err != nil {
		return err
	}
	if a.ui.json {
		return a.ui.doc(r)
	}
	a.showFlashed(r)
	return nil
}

func findBoard(name string) (*boards.Board, error) {
	b, err := boards.Find(name)
	if err != nil {
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: "see: copaflash boards"}
	}
	return &b, nil
}

func (a *app) showFlashed(r *flashResult) {
	for _, f := range r.Written {
		a.ui.out("wrote %s\n", filepath.Join(r.To, f))
	}
	if r.Bytes > 0 {
		a.ui.out("stored and verified %d bytes on %s\n", r.Bytes, r.Board)
	}
	for _, f := range r.Unchanged {
		a.ui.out("unchanged %s\n", filepath.Join(r.To, f))
	}
	for _, f := range r.Kept {
		a.ui.out("kept %s as it is: the board starts the runner only if that file says so\n", filepath.Join(r.To, f))
	}
	if r.Backup != "" {
		a.ui.out("the file as it was is now %s\n", filepath.Join(r.To, r.Backup))
	}
	if len(r.Missing) > 0 {
		a.ui.out("the card also needs %s, from https://github.com/raspberrypi/firmware/tree/stable/boot\n", strings.Join(r.Missing, ", "))
	}
	for _, p := range r.Recipes {
		a.ui.out("%s:\n", p.With)
		for _, s := range p.Steps {
			a.ui.out("  %s\n", s)
		}
	}
	if r.Next != "" {
		a.ui.note("%s", r.Next)
	}
}

// flashCard writes the files of an SD card.
func (a *app) flashCard(_ context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	mode := sdcard.Mode(flags.config)
	if mode != sdcard.Refuse && !slices.Contains(sdcard.Modes, mode) {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--config %q: want merge, replace or keep", flags.config), Hint: "see copaflash flash --help"}
	}
	if flags.to == "" {
		return noFolder(a.desk.cardFolders(), "the card's boot partition")
	}
	card := sdcard.Card{Needs: b.Flash.Needs}
	for _, f := range b.Flash.Files {
		data, err := b.Content(f)
		if err != nil {
			return err
		}
		if f.Image == "" {
			card.Config = sdcard.File{Name: f.Name, Data: data}
		} else {
			card.Files = append(card.Files, sdcard.File{Name: f.Name, Data: data})
		}
	}
	done, err := sdcard.Write(flags.to, card, mode)
	var folder *sdcard.FolderError
	var foreign *sdcard.ForeignError
	switch {
	case errors.As(err, &folder), errors.As(err, &foreign):
		return &failure{Code: exitUsage, Message: err.Error(), Hint: hintOf(err)}
	case err != nil:
		return err
	}
	r.Written = append(r.Written, done.Written...)
	r.Unchanged, r.Kept, r.Backup, r.Missing = done.Unchanged, done.Kept, done.Backup, done.Missing
	r.Next = "next: unmount the card, start the board with it, then: copaflash info --port PORT (wiring: copaflash boards " + b.Name + ")"
	return nil
}

// noFolder asks for --to and names what may be meant; it never guesses.
func noFolder(found []string, what string) error {
	hint := "mount it and name its folder with --to, or name any folder to copy from"
	if len(found) > 0 {
		hint = "name it with --to; it may be " + strings.Join(found, " or ")
	}
	return &failure{Code: exitUsage, Message: "no folder given for " + what, Hint: hint}
}

// needFolder refuses a place for image files that is not there.
func needFolder(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &failure{Code: exitUsage, Message: dir + " is not a folder", Hint: "name a folder for the image files with --to"}
	}
	return nil
}

// flashRecipe shows how to flash with tools of others, and writes the image in
// the forms that they read.
func (a *app) flashRecipe(_ context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	img, err := b.Flat()
	if err != nil {
		return err
	}
	files := map[string][]byte{b.Name + ".elf": b.Image, b.Name + ".bin": img.Data}
	names := []string{b.Name + ".elf", b.Name + ".bin"}
	places := []string{"{address}", fmt.Sprintf("%#x", img.Address)}
	if b.Flash.ESP != nil {
		name := b.Name + "-flash.bin"
		if files[name], err = espFile(b); err != nil {
			return err
		}
		names, places = append(names, name), append(places, "{esp}", filepath.Join(flags.to, name))
	}
	if flags.to != "" {
		if err := needFolder(flags.to); err != nil {
			return err
		}
		for _, n := range names {
			if err := os.WriteFile(filepath.Join(flags.to, n), files[n], 0o644); err != nil {
				return err
			}
			r.Written = append(r.Written, n)
		}
	}
	fill := strings.NewReplacer(append(places, "{elf}", filepath.Join(flags.to, names[0]), "{bin}", filepath.Join(flags.to, names[1]))...)
	for _, p := range b.Flash.Recipes {
		filled := boards.Recipe{With: p.With}
		for _, s := range p.Steps {
			filled.Steps = append(filled.Steps, fill.Replace(s))
		}
		r.Recipes = append(r.Recipes, filled)
	}
	if len(r.Recipes) == 0 {
		r.Recipes = []boards.Recipe{{With: "by hand", Steps: []string{fmt.Sprintf("%s is the runner as an ELF file, %s its bytes for address %#x", names[0], names[1], img.Address)}}}
	}
	if flags.to == "" {
		r.Next = "the image files are written with: copaflash flash " + b.Name + " --recipe --to FOLDER"
	}
	return nil
}
