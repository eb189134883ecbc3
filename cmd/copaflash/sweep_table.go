package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/copaflash/copaflash/compiler/sweep"
)

// table is the rows of a sweep on their way to a file, to stdout, or into a document.
type table struct {
	file string   // "": none
	tmp  *os.File // becomes the file; nil: out goes where the rows belong
	out  *bufio.Writer
	keep bool // rows go into the document
	rows rows
	done int // runs
}

// rows is an array of arrays as JSON.
type rows []byte

// MarshalJSON gives what was collected.
func (r rows) MarshalJSON() ([]byte, error) { return append(r[:len(r):len(r)], ']'), nil }

// newTable begins a table where the user wants it.
func (a *app) newTable(s *sweep.Sweep, output string) (*table, error) {
	t := &table{file: output}
	switch info, err := os.Stat(output); {
	case output == "" && a.ui.json:
		t.keep, t.rows = true, rows("[")
		return t, nil
	case output == "" || output == stdinScript:
		t.file = ""
		t.out = bufio.NewWriter(a.ui.plain)
	case err == nil && info.IsDir():
		return nil, &failure{Code: exitUsage, Message: "cannot write " + output + ": it is a folder", Hint: "name a file in it"}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(output, os.O_WRONLY, 0)
		if err != nil {
			return nil, cannotWrite(output, err)
		}
		t.out = bufio.NewWriter(f)
	default:
		if target, err := filepath.EvalSymlinks(output); err == nil {
			t.file = target
		}
		if t.tmp, err = os.CreateTemp(filepath.Dir(t.file), ".copa-*"); err != nil {
			return nil, cannotWrite(output, err)
		}
		t.out = bufio.NewWriter(t.tmp)
	}
	_, err := t.out.Write(s.HeaderCSV())
	return t, err
}

func cannotWrite(file string, err error) error {
	return &failure{Code: cmp.Or(codeOf(err), exitFailed), Message: "cannot write " + file + ": " + reason(err).Error(),
		Hint: "name a file in a folder that can be written to", File: file}
}

// add writes the lines of a chunk.
func (t *table) add(c sweep.Chunk) error {
	t.done += c.Len
	if !t.keep {
		if _, err := t.out.Write(c.CSV); err != nil {
			return cannotWrite(cmp.Or(t.file, "the table"), err)
		}
		return nil
	}
	for line := range bytes.Lines(c.CSV) {
		if len(t.rows) > 1 {
			t.rows = append(t.rows, ',')
		}
		t.rows = append(t.rows, '[')
		for i, v := range strings.Split(strings.TrimSpace(string(line)), ",") {
			if i > 0 {
				t.rows = append(t.rows, ',')
			}
			if strings.HasSuffix(v, "n") || strings.HasSuffix(v, "f") { // nan, inf, -inf
				v = `"` + v + `"`
			}
			t.rows = append(t.rows, v...)
		}
		t.rows = append(t.rows, ']')
	}
	return nil
}

// close puts the rows that there are where they belong. A file that was there stays if there are none.
func (t *table) close() error {
	if t.keep {
		return nil
	}
	err := t.out.Flush()
	if t.tmp == nil {
		return err
	}
	defer os.Remove(t.tmp.Name())
	err = errors.Join(err, t.tmp.Chmod(0o644), t.tmp.Close())
	if err == nil && t.done > 0 {
		err = os.Rename(t.tmp.Name(), t.file)
	}
	if err != nil {
		return cannotWrite(t.file, err)
	}
	return nil
}

// name is that of the file, if there is one.
func (t *table) name() string { return t.file }

// ended says of a sweep that did not come to its end how far it came.
func (t *table) ended(err error, total int) error {
	f := *classify(err)
	f.Came = fmt.Sprintf("after %d of %d runs", t.done, total)
	switch {
	case t.done > 0 && t.file != "":
		f.Came += ", which are in " + t.file
	case t.keep:
		f.Came += ", whose rows are lost: name a file with -o to keep them"
	}
	if !errors.Is(err, context.Canceled) {
		f.Message += " (" + f.Came + ")"
	}
	return &f
}
