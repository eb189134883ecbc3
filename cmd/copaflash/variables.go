package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

func readCommand(a *app) *cobra.Command {
	var flags targetFlags
	var file string
	c := &cobra.Command{
		Use:   "read [NAME...]",
		Short: "Read variables of the program on a board; without names, all of them",
		Long: `Read variables of the program that is on a board.

The names are known for programs sent from this machine; for others give the
image file with --image. The values are those after the last run.`,
		Example: `  copaflash read --port /dev/ttyACM0
  copaflash read --port /dev/ttyACM0 theta error --json`,
		RunE: func(c *cobra.Command, names []string) error {
			var out []outputValue
			err := a.onProgram(c.Context(), &flags, file, func(dev *target.Runner, img *image.Image) error {
				symbols, err := pickSymbols(img, names)
				if err != nil {
					return err
				}
				var call device.Call
				for _, s := range symbols {
					call.Reads = append(call.Reads, device.SpanOf(s))
				}
				r, err := dev.Call(c.Context(), call)
				if err != nil {
					return err
				}
				for i, s := range symbols {
					out = append(out, outputValue{s.Name, value(s.Decode(r.Data[i]))})
				}
				return nil
			})
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Values []outputValue `json:"values"`
				}{okDocument("read"), append([]outputValue{}, out...)})
			}
			for _, v := range out {
				a.ui.out("%s = %s\n", v.Name, v.Value)
			}
			return nil
		},
	}
	flags.add(c)
	c.Flags().StringVar(&file, "image", "", "image file of the program that is on the board")
	return c
}

func writeCommand(a *app) *cobra.Command {
	var flags targetFlags
	var file string
	var runs int
	var limit time.Duration
	var how pace
	c := &cobra.Command{
		Use:   "write NAME=VALUE...",
		Short: "Write variables of the program on a board, for its next run",
		Example: `  copaflash write --port /dev/ttyACM0 setpoint=1.5
  copaflash write --port /dev/ttyACM0 gains=2,1,0.1 --run 1
  copaflash write --port /dev/ttyACM0 setpoint=2 --run 1000 --rate 1kHz`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &failure{Code: exitUsage, Message: "nothing to write", Hint: "for example: copaflash write setpoint=1.5"}
			}
			if runs < 0 {
				return &failure{Code: exitUsage, Message: fmt.Sprintf("--run %d: the number of runs must not be negative", runs), Hint: "0, the default, only writes"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := (place{}).limited(limit); err != nil {
				return err
			}
			period, err := how.of("run", runs > 0)
			if err != nil {
				return err
			}
			var done device.Result
			err = a.onProgram(c.Context(), &flags, file, func(dev *target.Runner, img *image.Image) error {
				stores, err := parseStores(img, args)
				if err != nil {
					return err
				}
				done, err = dev.Call(c.Context(), device.Call{Writes: stores, Runs: runs, Period: period, Limit: limit})
				if errors.Is(err, device.ErrTicking) {
					return &failure{Code: exitBusy, Message: "the loop of the program runs on " + dev.Name(),
						Hint: "change variables while it runs with: copaflash set " + strings.Join(args, " ") + "; or end it: copaflash stop"}
				}
				return err
			})
			if err != nil {
				return err
			}
			timing := tickTimingOf(done.Timing)
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Written int         `json:"written"`
					Runs    int         `json:"runs"`
					TotalNS int64       `json:"total_ns"`
					Timing  *tickTiming `json:"timing,omitempty"`
				}{okDocument("write"), len(args), runs, done.Total.Nanoseconds(), timing})
			}
			a.ui.note("%s written", plural(len(args), "variable"))
			if runs > 0 {
				a.ui.note("%s: %s each, by the target's timer", plural(runs, "run"), duration(done.Total/time.Duration(runs)))
			}
			if timing != nil {
				a.ui.note("%s", timing)
			}
			return nil
		},
	}
	flags.add(c)
	c.Flags().StringVar(&file, "image", "", "image file of the program that is on the board")
	c.Flags().IntVar(&runs, "run", 0, "run the program this many times after writing")
	how.add(c, "run")
	limitFlag(c, &limit)
	return c
}

// parseStores reads NAME=VALUE arguments, so that all are checked before the
// first is written.
func parseStores(img *image.Image, args []string) ([]device.Piece, error) {
	var stores []device.Piece
	for _, arg := range args {
		// The name may have a =, as parts["a=b"]; a number has none.
		at := strings.LastIndexByte(arg, '=')
		if at < 0 {
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%q is not NAME=VALUE", arg),
				Hint: "for example: setpoint=1.5"}
		}
		name, value := arg[:at], arg[at+1:]
		s, err := variableSymbol(img, name)
		if err != nil {
			return nil, err
		}
		raw, err := encodeSymbol(s, strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(", []", r) }))
		if err != nil {
			return nil, err
		}
		stores = append(stores, device.Piece{Offset: s.Offset, Bytes: raw})
	}
	return stores, nil
}

// onProgram opens a target and finds the image of the program that is on it.
func (a *app) onProgram(ctx context.Context, flags *targetFlags, file string, f func(*target.Runner, *image.Image) error) error {
	at, err := flags.need(ctx, a)
	if err != nil {
		return err
	}
	var img *image.Image
	if file != "" {
		if img, err = a.readImage(file); err != nil {
			return err
		}
	}
	dev, err := a.openRunner(ctx, at)
	if err != nil {
		return err
	}
	defer dev.Close()
	status, err := dev.Status(ctx)
	if err != nil {
		return err
	}
	if len(status.Digest) == 0 {
		return &failure{Code: exitFailed, Message: "there is no program on " + dev.Name(), Hint: "send one: copaflash deploy SCRIPT"}
	}
	digest := hex.EncodeToString(status.Digest)
	if img == nil {
		if img, err = savedImage(digest); err != nil {
			return err
		}
	} else if digestText(img) != digest {
		return &failure{Code: exitVerify, Message: file + " is not the program that is on " + dev.Name(),
			Hint: "deploy it again, or leave out --image"}
	}
	return f(dev, img)
}

// pickSymbols finds variables by name: outputs before states and inputs; none
// named, all, but once only what is an output and one of these as well.
func pickSymbols(img *image.Image, names []string) ([]*image.Symbol, error) {
	var out []*image.Symbol
	if len(names) == 0 {
		type place struct {
			name   string
			offset uint32
		}
		seen := make(map[place]bool, len(img.Symbols))
		for i := range img.Symbols {
			s := &img.Symbols[i]
			if at := (place{s.Name, s.Offset}); !seen[at] {
				seen[at] = true
				out = append(out, s)
			}
		}
		return out, nil
	}
	for _, n := range names {
		s, ok := img.Symbol(image.Output, n)
		if !ok {
			var err error
			if s, err = variableSymbol(img, n); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// variableSymbol finds what the host may write by name: inputs and states.
func variableSymbol(img *image.Image, name string) (*image.Symbol, error) {
	for _, kind := range []image.Kind{image.Input, image.State} {
		if s, ok := img.Symbol(kind, name); ok {
			return s, nil
		}
	}
	if _, ok := img.Symbol(image.Output, name); ok {
		return nil, &failure{Code: exitUsage, Message: name + " is computed by the program: each run overwrites it",
			Hint: "variables made with cp.value(...) or cp.state(...) can be written"}
	}
	return nil, unknownVariable(img, name)
}

func unknownVariable(img *image.Image, name string) error {
	const shown = 20
	var have []string
	for _, s := range img.Symbols {
		if len(have) == shown {
			have = append(have, "...")
			break
		}
		if !slices.Contains(have, s.Name) { // an input may be an output, too
			have = append(have, s.Name)
		}
	}
	return &failure{Code: exitUsage, Message: fmt.Sprintf("the program has no variable %q", name), Hint: "it has " + strings.Join(have, ", ")}
}
