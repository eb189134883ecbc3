// Package record has what is recorded of a loop: the values of variables tick by tick, and, where it is to be
// computed again, what they were computed from. A file of it is a CBOR sequence, which a recorder that dies leaves
// readable (docs/record.md).
package record

import (
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// Recording is what was recorded of a loop.
type Recording struct {
	Header
	Records []device.Record // in the order of ticks; Data is of the variables, one after the other
	Events  []Event         // in the order of ticks
	Status  *Status         // how the loop went, at the end of the recording; nil: the recorder has not ended it
}

// Header is what is known when a recording begins.
type Header struct {
	Source  string        // what the program was made from
	Target  string        // as it is opened
	Board   string        // that the runner names
	Started time.Time     // of the recording
	Hz      float64       // ticks a second, as asked for; 0: Period says it
	Period  time.Duration // from tick to tick
	Every   int           // ticks from record to record
	Tasks   []device.Task
	// Variables are what each record has, with their places in the data block of the first program.
	Variables []image.Symbol
	// Programs are the one that ran first and those that swaps have brought; none: the recording
	// cannot be replayed.
	Programs []Program
	// Initial are the values of all variables before tick 0; none: the loop ran already, and the first record is
	// what a replay starts from.
	Initial []Value
}

// Program is a program that can be compiled again.
type Program struct {
	Graph  []byte // its graph file
	Digest []byte // of the image that ran
	Arch   string // for which
	Fast   bool   // compiled with all floats in fast mode
}

// Value is bytes of a variable, from an offset on.
type Value struct {
	Kind  image.Kind
	Name  string
	At    int
	Bytes []byte
}

// Event is what the host did.
type Event struct {
	Tick uint32  // the first one that it had an effect on
	Set  []Value // a set
	Swap *Swap   // another program
}

// Swap is what another program started from.
type Swap struct {
	Program Program
	Tasks   []device.Task
	Moves   []Move
	Back    bool   // it failed its trial: the old program went on, some ticks later
	Cause   string // why
}

// Move is a variable of the old program, whose value the new one took over.
type Move struct {
	Kind     image.Kind
	From, To string
}

// Status is how a loop went.
type Status struct {
	End, Fault                    string
	Ticks, Missed, Applied, Drops uint32
	Flags                         device.Flags
	Lateness, Execution, Slack    device.Spread
	Resolution                    time.Duration
}

// StatusOf is what a recording keeps of a status.
func StatusOf(s *device.LoopStatus) *Status {
	r := &Status{End: s.End, Ticks: s.Ticks, Missed: s.Missed, Applied: s.Applied, Drops: s.Drops, Flags: s.Flags,
		Lateness: s.Lateness, Execution: s.Execution, Slack: s.Slack, Resolution: s.Resolution}
	if s.Fault != nil {
		r.Fault = s.Fault.Error()
	}
	return r
}

// ProgramOf is what it takes to compile a program again.
func ProgramOf(p *compiler.Program) (Program, error) {
	f, err := p.File()
	if err != nil {
		return Program{}, err
	}
	file, err := f.CBOR()
	if err != nil {
		return Program{}, err
	}
	digest := p.Image.Digest()
	return Program{Graph: file, Digest: digest[:], Arch: p.Image.Arch.String(), Fast: p.Image.Fast == image.FastWhole}, nil
}

// Size is the bytes of a record.
func (h *Header) Size() int {
	n := 0
	for i := range h.Variables {
		n += h.Variables[i].Size()
	}
	return n
}

// Value is the part of a record's data that is of a variable, by its index.
func (h *Header) Value(data []byte, i int) []byte {
	for k := range i {
		data = data[h.Variables[k].Size():]
	}
	return data[:h.Variables[i].Size()]
}

// Spans are the places of the variables in the program that the recording begins with.
func (h *Header) Spans() []device.Span {
	spans := make([]device.Span, len(h.Variables))
	for i := range h.Variables {
		spans[i] = device.SpanOf(&h.Variables[i])
	}
	return spans
}

// Index is the place of a variable in records, -1 if it was not recorded.
func (h *Header) Index(kind image.Kind, name string) int {
	for i := range h.Variables {
		if h.Variables[i].Kind == kind && h.Variables[i].Name == name {
			return i
		}
	}
	return -1
}

// check refuses what cannot be a recording.
func (h *Header) check() error {
	if h.Every < 1 || h.Period <= 0 {
		return fmt.Errorf("a record every %d ticks of %v", h.Every, h.Period)
	}
	if h.Size() == 0 {
		return fmt.Errorf("no variables were recorded")
	}
	return nil
}
