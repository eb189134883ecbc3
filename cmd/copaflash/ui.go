package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"
)

// ui prints everything that the command prints: data on stdout, progress and
// diagnostics on stderr.
type ui struct {
	stdout, stderr io.Writer
	json, quiet    bool
	terminal       bool // stderr is one
	color          bool
	shown          int       // width of the progress line on the terminal
	last           time.Time // when it was drawn
	err            error     // the first one met in writing to stdout
}

func newUI(stdout, stderr io.Writer) *ui {
	u := &ui{stdout: stdout, stderr: stderr}
	if f, ok := stderr.(*os.File); ok && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" {
		u.terminal = term.IsTerminal(int(f.Fd()))
	}
	u.color = u.terminal && os.Getenv("NO_COLOR") == ""
	return u
}

// document is the head of every JSON document.
type document struct {
	Version int    `json:"version"`
	OK      bool   `json:"ok"`
	Command string `json:"command,omitempty"`
}

func okDocument(command string) document { return document{Version: 1, OK: true, Command: command} }

// doc prints one JSON document.
func (u *ui) doc(v any) error {
	e := json.NewEncoder(u.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// out prints data on stdout. Where that fails, so does the command in the end.
func (u *ui) out(format string, args ...any) {
	if _, err := fmt.Fprintf(u.stdout, format, args...); err != nil && u.err == nil {
		u.err = err
	}
}

// note prints a line of diagnostics, unless --quiet.
func (u *ui) note(format string, args ...any) {
	if u.quiet {
		return
	}
	u.clear()
	fmt.Fprintf(u.stderr, format+"\n", args...)
}

// table prints aligned columns; the first row is the heading.
func (u *ui) table(rows [][]string) error {
	w := tabwriter.NewWriter(u.stdout, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// progress draws a bar for work of which done of total is finished.
func (u *ui) progress(what string, done, total int) {
	if !u.terminal || u.quiet || total <= 0 {
		return
	}
	if now := time.Now(); done < total && now.Sub(u.last) < 50*time.Millisecond {
		return
	} else {
		u.last = now
	}
	const width = 30
	full := width * done / total
	line := fmt.Sprintf("%s [%s%s] %3d %%", what, strings.Repeat("#", full), strings.Repeat(".", width-full), 100*done/total)
	pad := max(0, u.shown-len(line))
	fmt.Fprintf(u.stderr, "\r%s%s", line, strings.Repeat(" ", pad))
	u.shown = len(line)
}

// clear removes the progress line.
func (u *ui) clear() {
	if u.shown > 0 {
		fmt.Fprintf(u.stderr, "\r%s\r", strings.Repeat(" ", u.shown))
		u.shown = 0
	}
}

func (u *ui) finish() { u.clear() }

// fail prints an error: one document on stdout with --json, else on stderr.
func (u *ui) fail(command string, f *failure) {
	if u.json {
		d := struct {
			document
			Error *failure `json:"error"`
		}{document{Version: 1, Command: command}, f}
		if u.doc(d) == nil {
			return
		}
	}
	red, plain := "", ""
	if u.color {
		red, plain = "\x1b[31m", "\x1b[0m"
	}
	if f.Report != "" {
		fmt.Fprintln(u.stderr, strings.TrimRight(f.Report, "\n"))
	} else {
		fmt.Fprintf(u.stderr, "%scopaflash: %s%s\n", red, f.Message, plain)
	}
	if f.Hint != "" && !strings.Contains(f.Report, f.Hint) {
		fmt.Fprintf(u.stderr, "hint: %s\n", f.Hint)
	}
}

// duration shows a time with three digits and a unit.
func duration(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g us", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}
