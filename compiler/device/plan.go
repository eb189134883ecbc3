package device

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/image"
)

// TasksOf are the tasks of an image, in the order in which they run: its entries.
func TasksOf(m *image.Image) []Task {
	tasks := make([]Task, len(m.Entries))
	for i := range m.Entries {
		tasks[i] = Task{Entry: i, Divisor: m.Entries[i].Every()}
	}
	return tasks
}

// SafeOf are the safe values of an image's outputs.
func SafeOf(m *image.Image) []Piece {
	var list []Piece
	for i := range m.Symbols {
		if s := &m.Symbols[i]; s.Safe() != nil {
			list = append(list, Piece{Offset: s.Offset, Bytes: s.Safe()})
		}
	}
	return list
}

// LoopOf is how the loop of an image runs: its tasks and safe values, at hz ticks a second or, where
// that is 0, as many as the image was made for.
func LoopOf(m *image.Image, hz float64) (LoopConfig, error) {
	if hz == 0 {
		hz = m.TickRate()
	}
	if hz == 0 {
		return LoopConfig{}, ErrNoRate
	}
	period := time.Duration(float64(time.Second) / hz)
	if !(hz > 0) || period < MinPeriod || period > MaxPeriod {
		return LoopConfig{}, fmt.Errorf("a rate of %v per second: want a period of %v to %v", hz, MinPeriod, MaxPeriod)
	}
	return LoopConfig{Period: period, Hz: hz, Tasks: TasksOf(m), Safe: SafeOf(m), Pins: m.Pins()}, nil
}

// ErrNoRate says that neither the program nor who starts it tells how often it runs.
var ErrNoRate = errors.New("the program does not say how often it runs")

// A SwapPlan is what a swap takes from one program to the next.
type SwapPlan struct {
	Moves   []Move
	Carried []string // states, and inputs that keep the value that they were given
	Lost    []Lost   // states of either program that are not carried
}

// Lost is a variable that starts afresh, or is gone.
type Lost struct{ Name, Reason string }

func (l Lost) String() string { return l.Name + ": " + l.Reason }

// PlanSwap finds what the program of next takes over: states of the same name, type and shape, and
// inputs of which the new program has the same initial value and no narrower limits, since what
// was set meanwhile is meant to stay then.
func PlanSwap(from, next *image.Image) *SwapPlan {
	p := &SwapPlan{}
	for i := range next.Symbols {
		to := &next.Symbols[i]
		if to.Kind == image.Output {
			continue
		}
		old, ok := from.Symbol(to.Kind, to.Name)
		reason := ""
		switch {
		case !ok:
			reason = "it is new, and starts with its initial value"
		case old.DType != to.DType:
			reason = fmt.Sprintf("its type was %v and is %v", old.DType, to.DType)
		case !old.Shape.Equal(to.Shape):
			reason = fmt.Sprintf("its shape was %v and is %v", old.Shape, to.Shape)
		case to.Kind == image.Input && !bytes.Equal(InitialOf(from, old), InitialOf(next, to)):
			reason = "the new program gives it another value"
		case to.Kind == image.Input && narrower(old.About(), to.About()):
			reason = "its limits are narrower: it starts with its initial value"
		default:
			p.Moves = append(p.Moves, Move{From: SpanOf(old), To: SpanOf(to)})
			p.Carried = append(p.Carried, to.Name)
			continue
		}
		if to.Kind == image.State || ok {
			p.Lost = append(p.Lost, Lost{to.Name, reason})
		}
	}
	for i := range from.Symbols {
		s := &from.Symbols[i]
		if s.Kind != image.State {
			continue
		}
		if _, ok := next.Symbol(image.State, s.Name); !ok {
			p.Lost = append(p.Lost, Lost{s.Name, "the new program has no such state"})
		}
	}
	return p
}

// narrower reports whether a value within the limits of old may be beyond those of m.
func narrower(old, m image.Meta) bool {
	return m.Low != nil && (old.Low == nil || *old.Low < *m.Low) || m.High != nil && (old.High == nil || *old.High > *m.High)
}

// InitialOf is the symbol's part of the data block as it is loaded.
func InitialOf(m *image.Image, s *image.Symbol) []byte {
	b := make([]byte, s.Size())
	if int(s.Offset) < len(m.Data) {
		copy(b, m.Data[s.Offset:])
	}
	return b
}

// NextOf is what a swap to a program needs, whose loop runs in the same rate: its tasks, safe
// values and the moves of a plan.
func NextOf(from *image.Image, p *compiler.Program, trial int) (Next, *SwapPlan) {
	plan := PlanSwap(from, p.Image)
	return Next{Program: p, Tasks: TasksOf(p.Image), Moves: plan.Moves, Trial: trial, Safe: SafeOf(p.Image), Pins: p.Image.Pins()}, plan
}
