package main

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/record"
	columns "github.com/copaflash/copaflash/hil/table"
	"github.com/copaflash/copaflash/hil/table/plot"
)

// maxRecording bounds files of recordings, in bytes.
const maxRecording = 4 << 30

// recordings read them, by the end of the file's name.
var recordings = map[string]func(data []byte) (*columns.Table, error){
	".csv": func(data []byte) (*columns.Table, error) { return columns.ReadCSV(bytes.NewReader(data)) },
	".npz": func(data []byte) (*columns.Table, error) {
		return columns.ReadNPZ(bytes.NewReader(data), int64(len(data)))
	},
	".cbor": func(data []byte) (*columns.Table, error) {
		r, err := record.Read(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return columns.FromRecording(r)
	},
}

func plotCommand(a *app) *cobra.Command {
	var output, title string
	c := &cobra.Command{
		Use:   "plot FILE [NAME...]",
		Short: "Draw a recording or a capture: variables over time, and how late ticks started",
		Long: `Draw a file of record (.csv, .npz, .cbor) or of capture (.csv) as SVG or PNG: variables
over time, those of one unit in one panel, and a histogram of how late the recorded
ticks started. Where records were lost lines have a gap.`,
		Example: `  copaflash plot run.csv -o run.svg
  copaflash plot run.npz err u -o err.png`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &failure{Code: exitUsage, Message: "plot takes a recording", Hint: "for example: copaflash plot run.csv -o run.svg"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			file := args[0]
			draw := plot.Formats[filepath.Ext(output)]
			if draw == nil {
				return &failure{Code: exitUsage, Message: "plots are written as " + strings.Join(slices.Sorted(maps.Keys(plot.Formats)), " and "),
					Hint: "for example: -o run.svg", File: output}
			}
			t, err := readRecording(file)
			if err == nil {
				t, err = plot.Select(t, args[1:])
			}
			if err == nil {
				err = plot.Check(t)
			}
			if err != nil {
				return plotFailure(file, err)
			}
			var page bytes.Buffer
			if err := draw(&page, t, cmp.Or(title, filepath.Base(file))); err != nil {
				return plotFailure(file, err)
			}
			if err := writeFile(output, page.Bytes()); err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(struct {
					document
					File    string `json:"file"`
					Records int    `json:"records"`
					Lost    uint64 `json:"lost"`
				}{okDocument("plot"), output, t.Rows(), t.Lost()})
			}
			a.ui.note("%s: %s, %d lost", output, plural(t.Rows(), "record"), t.Lost())
			return nil
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "file to write: .svg or .png")
	c.Flags().StringVar(&title, "title", "", "above the plot (default: the name of the file)")
	return c
}

func readRecording(file string) (*columns.Table, error) {
	read := recordings[filepath.Ext(file)]
	if read == nil {
		return nil, &plot.Error{Message: "recordings are " + strings.Join(slices.Sorted(maps.Keys(recordings)), ", "), Next: "make one with: copaflash record -o run.csv"}
	}
	data, err := readFile(file, maxRecording)
	if err != nil {
		return nil, err
	}
	return read(data)
}

func plotFailure(file string, err error) error {
	f := &failure{Code: exitUsage, Message: err.Error(), Hint: "name a file of copaflash record or capture", File: file}
	if !strings.Contains(f.Message, file) {
		f.Message = file + ": " + f.Message
	}
	var known *plot.Error
	if errors.As(err, &known) {
		f.Hint = known.Next
	}
	return f
}
