package main

import (
	"context"
	"errors"
	"math"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

func getCommand(a *app) *cobra.Command {
	var flags loopFlags
	c := &cobra.Command{
		Use:   "get [NAME...]",
		Short: "Read variables of the loop on a board, all of the same moment; without names, all of them",
		Long: `Read variables of the program on a board while its loop runs. All values are of the same
moment between two ticks. When no loop runs they are those after the last tick or run.`,
		Example: `  copaflash get
  copaflash get err u --json
  copaflash get gains[1]`,
		RunE: func(c *cobra.Command, names []string) error {
			r, err := a.readLoop(c.Context(), &flags, names)
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(r)
			}
			for _, v := range r.Values {
				a.ui.out("%s\n", v)
			}
			if r.Tick != nil {
				a.ui.note("after %s", plural(int(min(*r.Tick, math.MaxInt32)), "tick"))
			} else {
				a.ui.note("no loop runs: these are the values after the last tick or run")
			}
			return nil
		},
	}
	flags.add(c)
	return c
}

// readResult is the JSON document of get.
type readResult struct {
	document
	Tick   *uint32      `json:"ticks,omitempty"` // that had ended; missing: no loop runs
	Values []shownValue `json:"values"`
}

// readLoop reads variables of the program on a board, whether its loop runs or not.
func (a *app) readLoop(ctx context.Context, flags *loopFlags, names []string) (*readResult, error) {
	dev, to, err := a.openLoops(ctx, &flags.targetFlags)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	r := &readResult{document: okDocument("get"), Values: []shownValue{}}
	var img *image.Image
	var read func([]device.Span) ([][]byte, error)
	l, err := a.attachTo(ctx, dev, to, flags.image)
	still, canRest := dev.(resting)
	switch {
	case err == nil:
		img = l.img
		read = func(spans []device.Span) ([][]byte, error) {
			data, ticks, err := l.Read(ctx, spans)
			r.Tick = &ticks
			return data, err
		}
	case errors.As(err, new(*noLoop)) && canRest:
		if img, err = a.atRest(ctx, dev, still, flags.image); err != nil {
			return nil, err
		}
		read = func(spans []device.Span) ([][]byte, error) {
			done, err := still.Call(ctx, device.Call{Reads: spans})
			return done.Data, err
		}
	default:
		return nil, err
	}
	symbols, err := pickVariables(img, names)
	if err != nil {
		return nil, err
	}
	data, err := read(spansOf(symbols))
	if err != nil {
		return nil, err
	}
	for i, s := range symbols {
		r.Values = append(r.Values, shownValue{Name: s.Name, Value: value(s.Decode(data[i])), Unit: s.About().Unit})
	}
	return r, nil
}

// pickVariables finds variables and elements by name, outputs first; none named, all variables.
func pickVariables(img *image.Image, names []string) ([]*image.Symbol, error) {
	if len(names) == 0 {
		return pickSymbols(img, nil)
	}
	symbols := make([]*image.Symbol, len(names))
	for i, name := range names {
		var err error
		if symbols[i], err = findVariable(img, name, image.Output, image.Input, image.State); err != nil {
			return nil, err
		}
	}
	return symbols, nil
}

func spansOf(symbols []*image.Symbol) []device.Span {
	spans := make([]device.Span, len(symbols))
	for i, s := range symbols {
		spans[i] = device.SpanOf(s)
	}
	return spans
}

// atRest is the image of the program on a target where no loop runs.
func (a *app) atRest(ctx context.Context, dev target.Target, k keeper, file string) (*image.Image, error) {
	digest, _, err := k.Resident(ctx)
	if err != nil {
		return nil, err
	}
	if len(digest) == 0 {
		return nil, noProgram(dev)
	}
	return a.imageOf(ctx, dev, digest, file)
}

// resting is a target whose program can be read when no loop runs.
type resting interface {
	keeper
	Call(ctx context.Context, c device.Call) (device.Result, error)
}
