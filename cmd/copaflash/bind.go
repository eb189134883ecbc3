package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/target"
)

// bindFlags are the bindings of a verb's programs: of the flag, and below them those of the settings.
type bindFlags struct {
	texts []string
	rate  float64 // ticks a second that the verb was told; 0: none
	on    *app    // whose verb binds; nil: the verb does not, and settings mean nothing

	flags, settings *bind.Set // made when they are first needed
}

// bindHelp is for the long help of verbs.
func bindHelp() string {
	return `

--bind feeds an input of the program by a simulated channel, which becomes part of the
program, so that it runs anywhere and with the same bits:
` + bind.Help() + `docs/channels.md describes them. Bindings may stand under "bind" in copaflash.json, too.`
}

func (b *bindFlags) add(a *app, c *cobra.Command) {
	b.on = a
	c.Flags().StringArrayVar(&b.texts, "bind", nil, "feed an input by a simulated channel, as INPUT=sim:sine,freq=2Hz; may be repeated (see docs/channels.md)")
}

// sets makes the bindings ready.
func (b *bindFlags) sets(ctx context.Context) (*bind.Set, error) {
	if b.on == nil {
		return nil, nil
	}
	if b.flags == nil {
		found, _, err := loadSettings()
		if err != nil {
			return nil, err
		}
		plant := func(file string) (*compiler.Program, error) { return compilePlant(ctx, file) }
		b.flags = &bind.Set{ReadFile: bind.ReadFile, Plant: plant, Partly: true}
		b.settings = &bind.Set{ReadFile: bind.ReadFile, Plant: plant, Partly: true}
		for _, text := range b.texts {
			if err := b.flags.Add(text); err != nil {
				return nil, err
			}
		}
		for _, variable := range slices.Sorted(maps.Keys(found.Bind)) {
			b.settings.Put(bind.Binding{Variable: variable, Channel: found.Bind[variable]})
		}
	}
	return b.flags.Over(b.settings), nil
}

// compilePlant makes the program of a plant, whose code is not run.
func compilePlant(ctx context.Context, file string) (*compiler.Program, error) {
	dev, err := oracle.New(target.HostArch())
	if err != nil {
		return nil, err
	}
	return pil.Compile(ctx, file, dev)
}

// give adds them to the options of a graph.
func (b *bindFlags) give(ctx context.Context, opt *compiler.Options) error {
	set, err := b.sets(ctx)
	if err != nil {
		return err
	}
	if opt.Rate == 0 {
		opt.Rate = b.rate
	}
	if !set.Empty() {
		opt.Bind = set
	}
	return nil
}

// check refuses bindings of variables that no program had. Settings are for several programs: there
// it is worth a word.
func (b *bindFlags) check() error {
	if b.flags == nil {
		return nil
	}
	if err := b.flags.Unused(); err != nil {
		return err
	}
	if err := b.settings.Unused(); err != nil {
		b.on.ui.note("%s: %v", projectFile, err)
	}
	return nil
}

// forImage refuses --bind for a program that is compiled already.
func (b *bindFlags) forImage(file string) error {
	if len(b.texts) == 0 {
		return nil
	}
	return &failure{Code: exitUsage, Message: file + " is compiled already: --bind is for scripts and graph files",
		Hint: "bind when the image is made: copaflash compile SCRIPT --bind ..."}
}

// isBinding reports whether an error is one of bindings.
func isBinding(err error) bool {
	var e *bind.Error
	return errors.As(err, &e)
}
