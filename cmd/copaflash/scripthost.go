package main

import (
	"context"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// scriptHost is what of the host a script sees beyond its own folder.
type scriptHost struct {
	out  string   // folder below which it writes files
	args []string // sys.argv after the script's name
	bind bindFlags
}

// add gives a command of scripts its flag, and takes what follows -- as arguments of
// the script. It comes after Args has been set.
func (h *scriptHost) add(c *cobra.Command) {
	c.Flags().StringVar(&h.out, "out", "", "folder below which the script may write files (default: it writes none)")
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if n := c.ArgsLenAtDash(); n >= 0 {
			args, h.args = args[:n], args[n:]
		}
		return check(c, args)
	}
}

// give passes it on to script.Run.
func (h *scriptHost) give(ctx context.Context, opt *script.Options, stderr io.Writer) (err error) {
	if opt.Bind, err = h.bind.sets(ctx); err != nil {
		return err
	}
	opt.Compiler.Rate = h.bind.rate
	opt.Plant = func(file string) (*compiler.Program, error) { return compilePlant(ctx, file) }
	opt.Out, opt.Args, opt.Stderr = h.out, h.args, stderr
	// Garbage counts for the process, though not for the script: it is collected more often
	// once there is as much in all as the script may have, and a quarter more.
	limit := vm.DefaultLimits().Memory
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), limit+limit/4))
	return nil
}
