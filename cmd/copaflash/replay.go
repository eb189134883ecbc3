package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/replay"
	"github.com/copaflash/copaflash/hil/target"
)

func replayCommand(a *app) *cobra.Command {
	var on []string
	c := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Compute a recording of a loop again, and compare outputs and states bit for bit",
		Long: `Compute again what a loop has computed: from the program, the inputs, the sets and
the swaps in a recording that was made with --inputs, tick by tick, and compare
the outputs and states with the recorded ones, bit for bit.

--on names where to compute: by default on the oracle, which evaluates the program,
and on this machine by machine code. Any target will do, as --on qemu:rpi3.

A replay starts with the values from before tick 0, or, where the loop ran already,
with those of the first record. Where records were lost it starts again behind
them. The exit code is 7 if a value differs: the first one is shown.`,
		Example: `  copaflash replay run.cbor
  copaflash replay run.cbor --on local,qemu:rpi3 --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &failure{Code: exitUsage, Message: c.CommandPath() + " takes one recording",
					Hint: "make one with: copaflash record --inputs -o run.cbor"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.replay(c.Context(), args[0], on) },
	}
	c.Flags().StringSliceVar(&on, "on", []string{target.Oracle, target.LocalName}, "targets that compute, separated by commas")
	return c
}

// replayResult is the JSON document of replay.
type replayResult struct {
	document
	Error   *failure      `json:"error,omitempty"`
	File    string        `json:"file"`
	Source  string        `json:"source,omitempty"`
	Target  string        `json:"target,omitempty"` // that the recording is of
	Board   string        `json:"board,omitempty"`
	Records int           `json:"records"`
	On      []replayedRow `json:"on"`
}

// replayedRow is what came of a replay on one target.
type replayedRow struct {
	Target     string          `json:"target"`
	Equal      bool            `json:"equal"`
	Compared   int             `json:"compared"` // records
	Values     int             `json:"values"`
	Ticks      int             `json:"ticks"`
	Gaps       int             `json:"gaps"`
	Missed     int             `json:"missed"` // ticks between records that the loop had missed
	Sets       int             `json:"sets"`
	Swaps      int             `json:"swaps"`
	Difference *differenceInfo `json:"difference,omitempty"`
}

// differenceInfo is the first value that differs.
type differenceInfo struct {
	Tick         uint32 `json:"tick"`
	Kind         string `json:"kind"`
	Name         string `json:"name"`
	Element      int    `json:"element"`
	Recorded     string `json:"recorded"`
	Computed     string `json:"computed"`
	RecordedBits string `json:"recorded_bits"`
	ComputedBits string `json:"computed_bits"`
	Note         string `json:"note,omitempty"`
}

func differenceOf(d *replay.Difference) *differenceInfo {
	if d == nil {
		return nil
	}
	bits := func(b uint64) string { return fmt.Sprintf("%#0*x", 2*d.Variable.DType.Size(), b) }
	return &differenceInfo{d.Tick, d.Variable.Kind.String(), d.Variable.Name, d.Element,
		d.Number(d.Recorded), d.Number(d.Computed), bits(d.Recorded), bits(d.Computed), d.Note}
}

// openRecording reads a recording that can be replayed.
func openRecording(name string) (*record.Recording, error) {
	f, err := os.Open(name)
	if err != nil {
		hint := hintOf(err)
		if errors.Is(err, fs.ErrNotExist) {
			hint = "check the name; a recording is made with: copaflash record --inputs -o run.cbor"
		}
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: hint, File: name}
	}
	defer f.Close()
	r, err := record.Read(f)
	if err != nil {
		return nil, &failure{Code: exitUsage, Message: name + ": " + err.Error(), File: name,
			Hint: "a replay reads the .cbor files of: copaflash record --inputs -o run.cbor"}
	}
	return r, nil
}

func (a *app) replay(ctx context.Context, file string, on []string) error {
	if len(on) == 0 {
		return &failure{Code: exitUsage, Message: "--on names no target", Hint: "leave it out for the oracle and this machine"}
	}
	for _, name := range on {
		if err := target.Check(name); err != nil {
			return err
		}
	}
	r, err := openRecording(file)
	if err != nil {
		return err
	}
	result := replayResult{document: okDocument("replay"), File: file, Source: r.Source, Target: r.Target, Board: r.Board, Records: len(r.Records)}
	var first *replay.Difference
	for i, name := range on {
		if slices.Contains(on[:i], name) {
			continue
		}
		got, err := a.replayOn(ctx, r, name)
		if err != nil {
			return replayFailure(file, err)
		}
		result.On = append(result.On, replayedRow{target.Canonical(name), got.Difference == nil, got.Compared, got.Values, got.Ticks, got.Gaps, got.Missed,
			got.Sets, got.Swaps, differenceOf(got.Difference)})
		if got.Difference != nil && result.Error == nil {
			first = got.Difference
			result.Error = &failure{Code: exitVerify, Message: fmt.Sprintf("%s: on %s, %v", file, name, first), File: file, Hint: first.Note}
		}
		if got.Compared == 0 && result.Error == nil {
			result.Error = &failure{Code: exitVerify, Message: file + ": there was no record to compare", File: file, Hint: "record for longer"}
		}
	}
	result.OK = result.Error == nil
	if a.ui.json {
		if err := a.ui.doc(result); err != nil || result.OK {
			return err
		}
		return &alreadyShown{result.Error}
	}
	if err := a.showReplay(&result); err != nil {
		return err
	}
	if result.Error != nil {
		return result.Error
	}
	return nil
}

func (a *app) replayOn(ctx context.Context, r *record.Recording, name string) (*replay.Report, error) {
	dev, err := a.open(ctx, place{name: name})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	return replay.Run(ctx, r, dev)
}

// replayFailure is an error of a recording that cannot be replayed, or of a target.
func replayFailure(file string, err error) error {
	if errors.Is(err, replay.ErrNoInputs) {
		return &failure{Code: exitUsage, Message: file + ": " + err.Error(), File: file, Hint: "record it again with: copaflash record --inputs -o run.cbor"}
	}
	return err
}

func (a *app) showReplay(r *replayResult) error {
	from := strings.TrimSpace(r.Source + " " + strings.TrimSpace("on "+r.Target))
	a.ui.note("%s: %s of %s", r.File, plural(r.Records, "record"), from)
	rows := [][]string{{"on", "records", "values", "ticks", "gaps", "sets", "swaps", "result"}}
	for _, row := range r.On {
		result := "equal"
		if d := row.Difference; d != nil {
			result = fmt.Sprintf("differs at tick %d: %s", d.Tick, d.Name)
		}
		cells := []string{row.Target}
		for _, n := range []int{row.Compared, row.Values, row.Ticks, row.Gaps, row.Sets, row.Swaps} {
			cells = append(cells, fmt.Sprint(n))
		}
		rows = append(rows, append(cells, result))
	}
	return a.ui.table(rows)
}
