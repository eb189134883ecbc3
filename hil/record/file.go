package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// Magic is what the header of a file says, and Version its format.
const (
	Magic   = "copaflash-recording"
	Version = 1
)

// Bounds of a file.
const (
	maxRecord    = 1 << 24 // bytes of a record
	mostInMemory = 1 << 32 // bytes of all records
)

// fileHeader is the first item of the sequence.
type fileHeader struct {
	Magic     string         `cbor:"0,keyasint"`
	Version   int            `cbor:"1,keyasint"`
	Source    string         `cbor:"2,keyasint,omitempty"`
	Target    string         `cbor:"3,keyasint,omitempty"`
	Board     string         `cbor:"4,keyasint,omitempty"`
	Started   int64          `cbor:"5,keyasint"` // ns since 1970
	Hz        float64        `cbor:"6,keyasint,omitempty"`
	Period    int64          `cbor:"7,keyasint"` // ns
	Every     int            `cbor:"8,keyasint"`
	Tasks     []device.Task  `cbor:"9,keyasint,omitempty"`
	Variables []image.Symbol `cbor:"10,keyasint"`
	Programs  []Program      `cbor:"11,keyasint,omitempty"`
	Initial   []Value        `cbor:"12,keyasint,omitempty"`
}

// An item follows the header: records, an event or the end.
type item struct {
	Ticks []uint32 `cbor:"0,keyasint,omitempty"`
	Times []int64  `cbor:"1,keyasint,omitempty"` // ns since tick 0 was due
	Drops []uint32 `cbor:"2,keyasint,omitempty"`
	Data  []byte   `cbor:"3,keyasint,omitempty"` // of all of them
	Event *Event   `cbor:"4,keyasint,omitempty"`
	End   *Status  `cbor:"5,keyasint,omitempty"`
}

var encoding, decoding = func() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	dec, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxNestedLevels: 12, MaxArrayElements: 1 << 24, MaxMapPairs: 64}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}()

// A Writer writes a recording as it comes.
type Writer struct {
	h       Header
	to      *cbor.Encoder
	pending item
}

// batch is how many records an item has at most.
const batch = 256

// NewWriter writes the header of a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r := &Writer{h: h, to: encoding.NewEncoder(w)}
	return r, r.to.Encode(fileHeader{Magic, Version, h.Source, h.Target, h.Board, h.Started.UnixNano(), h.Hz, int64(h.Period), h.Every,
		h.Tasks, h.Variables, h.Programs, h.Initial})
}

// Record writes a record, soon.
func (w *Writer) Record(r device.Record) error {
	if len(r.Data) != w.h.Size() {
		return fmt.Errorf("recording: a record of %d bytes, where the variables have %d", len(r.Data), w.h.Size())
	}
	p := &w.pending
	p.Ticks, p.Times, p.Drops = append(p.Ticks, r.Tick), append(p.Times, int64(r.Time)), append(p.Drops, r.Drops)
	if p.Data = append(p.Data, r.Data...); len(p.Ticks) == batch {
		return w.Flush()
	}
	return nil
}

// Flush writes the records that are still here.
func (w *Writer) Flush() error {
	if len(w.pending.Ticks) == 0 {
		return nil
	}
	err := w.to.Encode(w.pending)
	w.pending = item{Ticks: w.pending.Ticks[:0], Times: w.pending.Times[:0], Drops: w.pending.Drops[:0], Data: w.pending.Data[:0]}
	return err
}

// Event writes what the host did.
func (w *Writer) Event(e Event) error { return w.to.Encode(item{Event: &e}) }

// End ends the recording. The status may be nil.
func (w *Writer) End(s *Status) error {
	if err := w.Flush(); err != nil || s == nil {
		return err
	}
	return w.to.Encode(item{End: s})
}

// Write writes a whole recording.
func (r *Recording) Write(to io.Writer) error {
	w, err := NewWriter(to, r.Header)
	if err != nil {
		return err
	}
	for _, e := range r.Events {
		if err := w.Event(e); err != nil {
			return err
		}
	}
	for _, record := range r.Records {
		if err := w.Record(record); err != nil {
			return err
		}
	}
	return w.End(r.Status)
}

// Read reads a file. One whose last item is not whole, as of a recorder that died, ends before that.
func Read(from io.Reader) (*Recording, error) {
	r, err := read(decoding.NewDecoder(from))
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return r, nil
}

func read(from *cbor.Decoder) (*Recording, error) {
	var h fileHeader
	if err := from.Decode(&h); err != nil {
		return nil, fmt.Errorf("this is no recording: %w", err)
	}
	if h.Magic != Magic {
		return nil, fmt.Errorf("the format is %.60q, not %q", h.Magic, Magic)
	}
	if h.Version != Version {
		return nil, fmt.Errorf("version %d, this program reads version %d", h.Version, Version)
	}
	r := &Recording{Header: Header{Source: h.Source, Target: h.Target, Board: h.Board, Started: time.Unix(0, h.Started).UTC(), Hz: h.Hz,
		Period: time.Duration(h.Period), Every: h.Every, Tasks: h.Tasks, Variables: h.Variables, Programs: h.Programs, Initial: h.Initial}}
	if err := checkVariables(h.Variables); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	for {
		var i item
		err := from.Decode(&i)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return r, nil
		case err != nil:
			return nil, fmt.Errorf("behind %d records: %w", len(r.Records), err)
		case r.Status != nil:
			return nil, errors.New("there is something behind the end")
		}
		if err := r.take(&i); err != nil {
			return nil, fmt.Errorf("behind %d records: %w", len(r.Records), err)
		}
	}
}

// checkVariables refuses symbols that no image has.
func checkVariables(list []image.Symbol) error {
	size := 0
	for i := range list {
		s := &list[i]
		if !s.Kind.Valid() || !s.DType.Valid() || s.Name == "" {
			return fmt.Errorf("variable %d (%.60q) is none", i, s.Name)
		}
		n := s.DType.Size()
		for _, d := range s.Shape {
			if d < 0 || d > maxRecord {
				return fmt.Errorf("variable %q: a length of %d", s.Name, d)
			}
			if n *= d; n > maxRecord {
				return fmt.Errorf("variable %q is larger than %d bytes", s.Name, maxRecord)
			}
		}
		if size += n; size > maxRecord {
			return fmt.Errorf("records are larger than %d bytes", maxRecord)
		}
	}
	return nil
}

// take adds an item.
func (r *Recording) take(i *item) error {
	n, size := len(i.Ticks), r.Size()
	if len(i.Times) != n || len(i.Drops) != n || len(i.Data) != n*size {
		return fmt.Errorf("%d ticks with %d times, %d numbers of drops and %d bytes of %d", n, len(i.Times), len(i.Drops), len(i.Data), n*size)
	}
	if uint64(len(r.Records)+n)*uint64(size+64) > min(mostInMemory, math.MaxInt) {
		return errors.New("there are more records than fit into memory")
	}
	for k, tick := range i.Ticks {
		if last := len(r.Records) - 1; last >= 0 && tick <= r.Records[last].Tick {
			return fmt.Errorf("tick %d follows tick %d", tick, r.Records[last].Tick)
		}
		r.Records = append(r.Records, device.Record{Tick: tick, Time: time.Duration(i.Times[k]), Drops: i.Drops[k], Data: i.Data[k*size:][:size:size]})
	}
	if i.Event != nil {
		r.Events = append(r.Events, *i.Event)
	}
	r.Status = i.End
	return nil
}
