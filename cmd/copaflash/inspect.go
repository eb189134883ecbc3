package main

import (
	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/image"
)

func inspectCommand(a *app) *cobra.Command {
	var code bool
	c := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show what is in an image file: memory map, symbols, patches, budget, code",
		Example: `  copaflash inspect pid.copa
  copaflash inspect pid.copa --code
  copaflash inspect pid.copa --json`,
		Args: scriptArg,
		RunE: func(c *cobra.Command, args []string) error {
			img, err := readImage(args[0])
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(inspection(img))
			}
			if err := img.WriteReport(a.ui.stdout); err != nil || !code {
				return err
			}
			a.ui.out("\n")
			return img.WriteListing(a.ui.stdout)
		},
	}
	c.Flags().BoolVar(&code, "code", false, "add the code in hexadecimal, with entries and symbols")
	return c
}

// inspection is the JSON document of inspect.
func inspection(img *image.Image) any {
	type symbol struct {
		Name   string `json:"name"`
		Kind   string `json:"kind"`
		DType  string `json:"dtype"`
		Shape  []int  `json:"shape"`
		Offset uint32 `json:"offset"`
		metaInfo
	}
	type entry struct {
		Name         string  `json:"name"`
		Offset       uint32  `json:"offset"`
		Divisor      uint32  `json:"divisor,omitempty"`      // it runs in one of so many ticks
		Rate         float64 `json:"rate,omitempty"`         // per second
		Instructions uint64  `json:"instructions,omitempty"` // at most, of one run
		Pins         uint32  `json:"pins,omitempty"`
	}
	type op struct {
		Name  string `json:"name"`
		Count uint64 `json:"count"`
	}
	d := struct {
		document
		Format       uint32      `json:"format"`
		Lacks        string      `json:"lacks,omitempty"` // what the present format has and that of the file does not
		Source       string      `json:"source"`
		Digest       string      `json:"digest"`
		Program      programInfo `json:"program"`
		Instructions uint64      `json:"instructions"`
		Entries      []entry     `json:"entries"`
		Symbols      []symbol    `json:"symbols"`
		Ops          []op        `json:"ops"`
	}{document: okDocument("inspect"), Format: img.Version, Lacks: img.Lacks(), Source: img.Source, Digest: digestText(img), Program: imageInfo(img),
		Instructions: img.Budget.Instructions, Symbols: []symbol{}, Ops: []op{}}
	for _, e := range img.Entries {
		d.Entries = append(d.Entries, entry(e))
	}
	for _, s := range img.Symbols {
		d.Symbols = append(d.Symbols, symbol{s.Name, s.Kind.String(), s.DType.String(), append([]int{}, s.Shape...), s.Offset, metaOf(s.About())})
	}
	for _, o := range img.Budget.Ops {
		d.Ops = append(d.Ops, op(o))
	}
	return d
}

// metaInfo is the metadata of a variable in JSON documents.
type metaInfo struct {
	Role  string    `json:"role,omitempty"`
	Unit  string    `json:"unit,omitempty"`
	Low   *float64  `json:"low,omitempty"`
	High  *float64  `json:"high,omitempty"`
	Safe  []float64 `json:"safe,omitempty"`
	Every uint32    `json:"every,omitempty"`
}

func metaOf(m image.Meta) metaInfo {
	return metaInfo{m.Role.String(), m.Unit, m.Low, m.High, m.Safe, m.Every}
}
