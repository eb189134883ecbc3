package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/firmware/flash/sdcard"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

// choices lists what may be typed, each with a word about it behind a tab.
type choices func() []string

// completedArgs says what the shell offers for the arguments of a verb; other verbs take files.
var completedArgs = map[string]choices{
	"emulate": emulatedNames,
	"flash":   flashNames,
	"boards":  boardNames,
	"doc":     docNames,
}

// completedFlags says what it offers for a flag, wherever a verb has it.
var completedFlags = map[string]choices{
	"target":   targetNames,
	"arch":     compiler.Archs,
	"features": func() []string { return packet.Features(1<<64 - 1).Names() },
	"config": func() []string {
		var list []string
		for _, m := range sdcard.Modes {
			list = append(list, string(m))
		}
		return list
	},
}

// completedNames are the verbs whose arguments are variables, and what follows their names.
var completedNames = map[string]string{"read": "", "get": "", "watch": "", "capture": "", "write": "=", "set": "="}

// variableNames are those of the program that was sent or used last: the board is not asked for a
// key that is pressed in a shell.
func variableNames() []string {
	img := latestImage()
	if img == nil {
		return nil
	}
	var list []string
	for i := range img.Symbols {
		if s := &img.Symbols[i]; !slices.Contains(list, s.Name) {
			list = append(list, s.Name)
		}
	}
	return list
}

// settableNames are those that a person sets.
func settableNames() []string {
	img := latestImage()
	var list []string
	for _, name := range variableNames() {
		if _, err := settable(img, name, setRules{}); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// complete tells cobra what verbs and flags offer, on a desk with its ports.
func complete(c *cobra.Command, on desk) error {
	if list := completedArgs[c.Name()]; list != nil {
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return list(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	if end, ok := completedNames[c.Name()]; ok {
		c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if end == "" {
				return variableNames(), cobra.ShellCompDirectiveNoFileComp
			}
			list := settableNames()
			for i := range list {
				list[i] += end
			}
			return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
	flags := maps.Clone(completedFlags)
	flags["port"] = on.portNames
	for name, list := range flags {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		err := c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return list(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			return err
		}
	}
	for _, sub := range c.Commands() {
		if err := complete(sub, on); err != nil {
			return err
		}
	}
	return nil
}

func boardNames() []string { return boardsThat(func(*boards.Board) bool { return true }) }

func flashNames() []string {
	return boardsThat(func(b *boards.Board) bool { return b.Flash != nil })
}

func emulatedNames() []string {
	return boardsThat(func(b *boards.Board) bool { return b.QEMU != nil })
}

func boardsThat(match func(*boards.Board) bool) []string {
	var list []string
	all, _ := boards.Descriptions() // part of the program: an error is told where a board is used
	for i := range all {
		if match(&all[i]) {
			list = append(list, all[i].Name+"\t"+all[i].Title)
		}
	}
	return list
}

func targetNames() []string {
	list := []string{target.LocalName + "\tthis machine, the fastest safe way", target.SandboxName + "\ta process that may do nothing but run programs", target.Oracle + "\tevaluates programs, on every system", "tcp:\tHOST:PORT", "unix:\tPATH"}
	for _, b := range emulatedNames() {
		list = append(list, "qemu:"+b)
	}
	return list
}

// portNames are the ports behind which there is hardware. No board is asked for a key that is pressed in a shell.
func (d desk) portNames() []string {
	ports, _ := d.ports()
	list := []string{autoPort + "\tthe only port with a board"}
	for i := range ports {
		if p := &ports[i]; !p.Phantom {
			list = append(list, strings.TrimSuffix(p.Name+"\t"+cmp.Or(p.likely(), p.Device), "\t"))
		}
	}
	return list
}

func docNames() []string {
	var list []string
	for _, p := range manual.Pages() {
		for _, e := range p.Entries {
			if !strings.Contains(e.Name, " ") { // operators are not typed by their first letter
				list = append(list, e.Name+"\t"+e.Summary())
			}
		}
	}
	return list
}
