package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

// ending is what a forged program ends its process with, if it can.
const ending = 42

// forgeries are programs that end their process: exit_group(ending).
var forgeries = map[string][]byte{
	"x86_64":  {0xb8, 0xe7, 0, 0, 0, 0xbf, ending, 0, 0, 0, 0x0f, 0x05, 0xc3},
	"aarch64": {0xc8, 0x0b, 0x80, 0xd2, 0x40, 0x05, 0x80, 0xd2, 0x01, 0, 0, 0xd4, 0xc0, 0x03, 0x5f, 0xd6},
	"x86_32":  {0xb8, 0xfc, 0, 0, 0, 0xbb, ending, 0, 0, 0, 0xcd, 0x80, 0xc3},
}

// forge writes an image file whose code no compiler has made.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	arch, err := packet.ParseArch(target.HostArch())
	ts.Check(err)
	img := &image.Image{Version: image.Version, Arch: arch, Code: forgeries[target.HostArch()], BSS: 64,
		Entries: []image.Entry{{Name: "run"}}, Source: "forged.py",
		Symbols: []image.Symbol{{Name: "n", Kind: image.Input, Offset: 8}, {Name: "y", Kind: image.Output, Offset: 16}}}
	for i := range img.Symbols {
		img.Symbols[i].DType = 1
	}
	data, err := img.Encode()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// everyverb gives a file to every verb in every way in which one may take it, with "local" as the target.
// However that ends, no code of the file has run inside the command.
func everyverb(ts *testscript.TestScript, neg bool, args []string) {
	file, tried := args[0], 0
	try := func(args ...string) {
		err := ts.Exec("copaflash", args...)
		tried++
		var status *exec.ExitError
		if errors.As(err, &status) && (status.ExitCode() == ending || status.ExitCode() < 0) {
			ts.Fatalf("copaflash %s: %v: the file's code has run inside the command", strings.Join(args, " "), err)
		}
	}
	var visit func(c *cobra.Command, name []string)
	visit = func(c *cobra.Command, name []string) {
		for _, sub := range c.Commands() {
			visit(sub, append(slices.Clone(name), sub.Name()))
		}
		if c.RunE == nil {
			return
		}
		var where []string
		if c.Flags().Lookup("target") != nil {
			where = []string{"--target", "local"}
		}
		try(slices.Concat(name, where, []string{file})...)
		for _, flag := range []string{"image", "graph"} {
			if c.Flags().Lookup(flag) != nil {
				try(slices.Concat(name, where, []string{"--" + flag, file})...)
				try(slices.Concat(name, where, []string{"--" + flag, file, "n=1", "--run", "1"})...)
			}
		}
		if c.Flags().Lookup("runs") != nil {
			try(slices.Concat(name, where, []string{"--runs", "3", file})...)
		}
	}
	for _, v := range verbs {
		c := v.command(&app{ui: &ui{}})
		visit(c, []string{c.Name()})
	}
	if tried < 20 {
		ts.Fatalf("%d command lines: where are the verbs?", tried)
	}
}
