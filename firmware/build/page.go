package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/copaflash/copaflash/firmware/build/runner"
)

// The table of sizes in docs/measured.md stands between these lines.
const (
	pageBegin = "<!-- sizes: written by go run ./firmware/build -->\n"
	pageEnd   = "<!-- end of sizes -->\n"
)

func pagePath(root string) string { return filepath.Join(root, "docs", "measured.md") }

// page returns docs/measured.md as it is, and with the sizes of the committed images
// of boards.
func page(root string, all []runner.Target) (old, renewed []byte, err error) {
	old, err = os.ReadFile(pagePath(root))
	if err != nil {
		return nil, nil, err
	}
	head, rest, begun := bytes.Cut(old, []byte(pageBegin))
	_, tail, ended := bytes.Cut(rest, []byte(pageEnd))
	if !begun || !ended {
		return nil, nil, fmt.Errorf("%s has no place for the sizes, between %q and %q", pagePath(root), pageBegin, pageEnd)
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(pageBegin)
	b.WriteString("| board | architecture | code | code and constants | budget | services |\n|---|---|---|---|---|---|\n")
	for _, t := range all {
		if t.Budget == nil {
			continue // a program of Linux, not of a board
		}
		image, err := os.ReadFile(imagePath(root, t.Image))
		if err != nil {
			return nil, nil, err
		}
		s, err := measure(image)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", t.Name, t.Arch, s.code, s.flash(), t.Budget.Flash, s.programs)
	}
	b.WriteString(pageEnd)
	b.Write(tail)
	return old, b.Bytes(), nil
}
