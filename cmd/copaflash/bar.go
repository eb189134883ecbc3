package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// bar is the line on a terminal that shows how far something is. It is taken away
// before anything else is printed, so nothing is ever written over.
type bar struct {
	terminal *os.File // nil: there is none, and nothing is drawn
	out      io.Writer
	mu       sync.Mutex
	shown    int  // width of the line on the terminal
	inLine   bool // the terminal is within a line that something else has begun

	what  string    // the work that is shown
	begun time.Time // when it was first
	from  int       // how much was done then
	drawn time.Time
}

// Times of the bar.
const (
	redraw    = 50 * time.Millisecond
	measuring = 300 * time.Millisecond // before a rate means anything
)

// unit says how amounts of work are shown.
type unit func(done, total int) string

func inBytes(done, total int) string { return sizeText(done) + " of " + sizeText(total) }
func inSteps(done, total int) string { return fmt.Sprintf("%d of %d", done, total) }

// show draws work of which done of total is finished.
func (b *bar) show(what string, done, total int, amounts unit, rate func(perSecond float64) string) {
	if b.terminal == nil || total <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inLine {
		return
	}
	now := time.Now()
	if what != b.what || done < b.from {
		b.what, b.begun, b.from, b.drawn = what, now, done, time.Time{}
	}
	if done < total && now.Sub(b.drawn) < redraw {
		return
	}
	b.drawn = now
	width, _, err := term.GetSize(int(b.terminal.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	line := b.line(done, total, now.Sub(b.begun), width-1, amounts, rate)
	fmt.Fprintf(b.out, "\r%s%s", line, strings.Repeat(" ", max(0, b.shown-len(line))))
	b.shown = len(line)
}

// line is the text of the bar, in at most width columns.
func (b *bar) line(done, total int, took time.Duration, width int, amounts unit, rate func(float64) string) string {
	tail := fmt.Sprintf(" %3d %%  %s", 100*int64(done)/int64(total), amounts(done, total))
	if n := done - b.from; n > 0 && took > measuring {
		perSecond := float64(n) / took.Seconds()
		if rate != nil {
			tail += "  " + rate(perSecond)
		}
		if done < total {
			tail += "  " + leftText(float64(total-done)/perSecond)
		}
	}
	const widest, least = 30, 8
	if cells := min(widest, width-len(b.what)-len(tail)-3); cells >= least {
		full := int(int64(cells) * int64(done) / int64(total))
		tail = " [" + strings.Repeat("#", full) + strings.Repeat(".", cells-full) + "]" + tail
	}
	line := b.what + tail
	return line[:min(len(line), max(width, 0))]
}

// leftText is a time that is left, in seconds or minutes.
func leftText(seconds float64) string {
	if s := int(seconds + 0.5); s >= 60 {
		return fmt.Sprintf("%d:%02d min left", s/60, s%60)
	}
	return fmt.Sprintf("%.0f s left", seconds)
}

// clear takes the line away.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown > 0 {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", b.shown))
		b.shown = 0
	}
}

// holdBack has nothing drawn while the terminal is within a line of something else.
func (b *bar) holdBack(inLine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inLine = inLine
}

// sizeText shows a number of bytes.
func sizeText(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
