package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
)

func boardsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "boards",
		Short:   "List the supported boards",
		Example: "  copaflash boards\n  copaflash emulate rpi3",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
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
			rows := [][]string{{"BOARD", "ARCHITECTURE", "CPU", "FPU", "RAM", "TIER", "EMULATED", "NAME"}}
			for _, b := range all {
				emulated := "no"
				if b.QEMU != nil {
					emulated = "yes"
				}
				rows = append(rows, []string{b.Name, b.Arch, b.CPU, b.FPU, bytesText(b.RAM), string(b.Tier), emulated, b.Title})
			}
			return a.ui.table(rows)
		},
	}
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
