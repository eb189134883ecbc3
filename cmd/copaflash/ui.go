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
	stdout, stderr *page // for texts of ours, in which names may come from anywhere
	plain          *page // stdout for what is printed as it is: a script's own output
	docs           *page // stdout for JSON
	colored        *page // stderr for texts that are escaped already
	json, quiet    bool
	bar            bar
	color          bool
	err            error // the first one met in writing to stdout
}

func newUI(stdout, stderr io.Writer) *ui {
	u := &ui{bar: bar{out: stderr}}
	if f, ok := stderr.(*os.File); ok && isTerminal(stderr) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" {
		u.bar.terminal = f
	}
	u.color = u.bar.terminal != nil && os.Getenv("NO_COLOR") == ""
	onPage := func(to io.Writer, escape func([]byte, rune) []byte) *page {
		return &page{to: to, bar: &u.bar, screen: isTerminal(to), escape: escape}
	}
	u.stdout, u.stderr = onPage(stdout, escapeText), onPage(stderr, escapeText)
	u.plain, u.docs, u.colored = onPage(stdout, nil), onPage(stdout, escapeJSON), onPage(stderr, nil)
	return u
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
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
	e := json.NewEncoder(u.docs)
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

// progress draws a bar for work of which done bytes of total are finished.
func (u *ui) progress(what string, done, total int) {
	if !u.quiet {
		u.bar.show(what, done, total, inBytes, rateText)
	}
}

// steps draws a bar for work that is counted.
func (u *ui) steps(what string, done, total int) {
	if !u.quiet {
		u.bar.show(what, done, total, inSteps, nil)
	}
}

func (u *ui) finish() { u.bar.clear() }

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
		// What is in the message is escaped, the colors are not.
		fmt.Fprint(u.colored, red)
		fmt.Fprintf(u.stderr, "copaflash: %s", f.Message)
		fmt.Fprintln(u.colored, plain)
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
