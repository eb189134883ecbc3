package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
)

func boardsCommand(a *app) *cobra.Command {
	markdown, listChannels := false, false
	c := &cobra.Command{
		Use:     "boards [BOARD]",
		Short:   "List the supported boards, or show one in full",
		Example: "  copaflash boards\n  copaflash boards rpi3\n  copaflash boards netduinoplus2 --channels\n  copaflash boards --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case listChannels && len(args) == 0:
				return &failure{Code: exitUsage, Message: "--channels takes a board", Hint: "such as: copaflash boards netduinoplus2 --channels"}
			case listChannels:
				return a.showChannels(args[0])
			case len(args) == 1:
				return a.showBoard(args[0])
			}
			all, err := boards.All()
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Boards []boards.Board `json:"boards"`
				}{okDocument("boards"), all})
			}
			if markdown {
				a.ui.out("%s", boardsMarkdown(all))
				return nil
			}
			rows := [][]string{{"BOARD", "ARCHITECTURE", "CPU", "FPU", "RAM", "TIER", "EMULATED", "FLASH", "NAME"}}
			for _, b := range all {
				rows = append(rows, []string{b.Name, b.Arch, b.CPU, b.FPU, bytesText(b.RAM), string(b.Tier), emulatedAs(&b), flashMethod(&b), b.Title})
			}
			return a.ui.table(rows)
		},
	}
	c.Flags().BoolVar(&listChannels, "channels", false, "list the inputs and outputs of a board")
	c.Flags().BoolVar(&markdown, "markdown", false, "print the table of README.md")
	return c
}

// boardsMarkdown is the table of README.md.
func boardsMarkdown(all []boards.Board) string {
	var text strings.Builder
	text.WriteString("| board | architecture | FPU | RAM | emulated as | flash | tier |\n|---|---|---|---|---|---|---|\n")
	for _, b := range all {
		fmt.Fprintf(&text, "| `%s`: %s | %s | %s | %s | %s | %s | %s |\n", b.Name, b.Title, b.Arch, b.FPU, bytesText(b.RAM), emulatedAs(&b), flashMethod(&b), b.Tier)
	}
	return text.String()
}

// emulatedAs names the machine of QEMU.
func emulatedAs(b *boards.Board) string {
	if b.QEMU == nil {
		return "-"
	}
	for i, arg := range b.QEMU.Args {
		if arg == "-M" && i+1 < len(b.QEMU.Args) {
			return b.QEMU.Args[i+1]
		}
	}
	return b.QEMU.Binary
}

func flashMethod(b *boards.Board) string {
	if b.Flash == nil {
		return "-"
	}
	return string(b.Flash.Method)
}

// showBoard shows what there is to know about one board.
func (a *app) showBoard(name string) error {
	b, err := findBoard(name)
	if err != nil {
		return err
	}
	if a.ui.json {
		return a.ui.doc(struct {
			document
			Board *boards.Board `json:"board"`
		}{okDocument("boards"), b})
	}
	img, err := b.Flat()
	if err != nil {
		return err
	}
	rates := make([]string, len(b.UART.Bauds))
	for i, r := range b.UART.Bauds {
		rates[i] = fmt.Sprint(r)
	}
	rows := [][]string{
		{"board", strings.Join(b.Names(), ", ")}, {"name", b.Title}, {"architecture", b.Arch}, {"cpu", b.CPU}, {"fpu", b.FPU}, {"ram", bytesText(b.RAM)},
		{"uart", b.UART.Device}, {"wiring", b.UART.Wiring}, {"rates", strings.Join(rates, ", ") + " (the first after reset)"},
		{"timer", fmt.Sprintf("%s, %d Hz", b.Timer.Device, b.Timer.Hz)}, {"tier", string(b.Tier)}, {"emulated", emulatedAs(b)},
		{"flash", flashMethod(b)}, {"store", storeText(b)}, {"runner", fmt.Sprintf("%d bytes at %#x", len(img.Data), img.Address)},
	}
	for _, n := range b.Notes {
		rows = append(rows, []string{"note", n})
	}
	return a.ui.table(slices.DeleteFunc(rows, func(r []string) bool { return r[1] == "" }))
}

// storeText says what deploy --store can keep there.
func storeText(b *boards.Board) string {
	if b.Store == nil {
		return ""
	}
	return fmt.Sprintf("a program of up to %s, in %s", bytesText(b.Store.Slot), b.Store.Memory)
}

// bytesText shows a size in the largest binary unit that keeps it whole.
func bytesText(n uint64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", n>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
