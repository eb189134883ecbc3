package pil

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/replay"
)

// A part is a program of a rig: the controller or the plant.
type part struct {
	name    string
	side    *Side
	image   *image.Image
	program device.Program
	symbols []*image.Symbol // all that are compared
	reads   []device.Span
	data    [][]byte // their values after the last tick
	writes  []device.Piece
}

func newPart(ctx context.Context, name string, s *Side, dev device.Device) (*part, error) {
	p := &part{name: name, side: s, image: s.Program.Image, writes: slices.Clone(s.Set)}
	for i := range p.image.Symbols {
		if symbol := &p.image.Symbols[i]; symbol.Size() > 0 {
			p.symbols = append(p.symbols, symbol)
			p.reads = append(p.reads, device.SpanOf(symbol))
		}
	}
	var err error
	if p.program, err = dev.Load(ctx, s.Program); err != nil {
		return nil, err
	}
	err = p.call(ctx, device.Call{Reads: p.reads})
	return p, err
}

// call carries out a call with what is to be written, and keeps what it reads.
func (p *part) call(ctx context.Context, c device.Call) error {
	c.Writes = p.writes
	r, err := p.program.Call(ctx, c)
	p.writes = nil
	p.data = r.Data
	return err
}

// step runs a tick.
func (p *part) step(ctx context.Context, tick uint32) (time.Duration, error) {
	r, err := device.Ticks(ctx, p.program, p.image, tick, device.Call{Writes: p.writes, Runs: 1, Reads: p.reads})
	p.writes, p.data = nil, r.Data
	return r.Total, err
}

// index finds a variable: of the first of some kinds that has the name. -1: there is none.
func (p *part) index(name string, kinds ...image.Kind) int {
	for _, k := range kinds {
		if i := slices.IndexFunc(p.symbols, func(s *image.Symbol) bool { return s.Kind == k && s.Name == name }); i >= 0 {
			return i
		}
	}
	return -1
}

// value is a variable by its name.
func (p *part) value(name string) (*image.Symbol, []byte, error) {
	i := p.index(name, image.Output, image.State, image.Input)
	if i < 0 {
		return nil, nil, fmt.Errorf("the %s has no variable %q: it has %s", p.name, name, p.list(image.Output, image.State, image.Input))
	}
	return p.symbols[i], p.data[i], nil
}

// list names variables of some kinds.
func (p *part) list(kinds ...image.Kind) string {
	var names []string
	for _, s := range p.symbols {
		if slices.Contains(kinds, s.Kind) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// recording is an empty one of the part, with the values that it begins with.
func (p *part) recording(ctx context.Context, c *Config) (*record.Recording, error) {
	config := device.LoopConfig{Period: c.Period, Tasks: device.TasksOf(p.image)}
	if config.Period == 0 {
		config.Period = time.Millisecond
		if hz := c.Controller.Program.Image.TickRate(); hz > 0 {
			config.Hz, config.Period = hz, time.Duration(float64(time.Second)/hz)
		}
	}
	var variables []image.Symbol
	for _, s := range p.symbols {
		variables = append(variables, *s)
	}
	h, err := record.Begin(p.side.Program, variables, config, 1, true)
	if err != nil {
		return nil, err
	}
	return &record.Recording{Header: h}, h.Fresh(ctx, p.program, p.image)
}

// record is that of the last tick.
func (p *part) record(tick uint32, period time.Duration) device.Record {
	return device.Record{Tick: tick, Time: time.Duration(tick) * period, Data: bytes.Join(p.data, nil)}
}

// A wire leads from a variable of one part to an input of the other.
type wire struct {
	from, to    *part
	source      int // index of the variable
	destination *image.Symbol
	known       bool // it has a value before the first run
}

// A rig is a controller and a plant that are connected.
type rig struct {
	controller, plant *part
	wires             []wire
}

func newRig(ctx context.Context, c *Config, controller, plant device.Device) (r *rig, err error) {
	r = &rig{}
	defer func() {
		if err != nil {
			r.release()
		}
	}()
	if r.controller, err = newPart(ctx, "controller", &c.Controller, controller); err != nil {
		return r, fmt.Errorf("controller: %w", err)
	}
	if r.plant, err = newPart(ctx, "plant", &c.Plant, plant); err != nil {
		return r, fmt.Errorf("plant: %w", err)
	}
	return r, r.connect(c.Connections)
}

func (r *rig) release() {
	for _, p := range []*part{r.controller, r.plant} {
		if p != nil && p.program != nil {
			p.program.Release()
		}
	}
}

// WiringError says that two programs do not fit each other.
type WiringError struct{ Text string }

func (e *WiringError) Error() string { return e.Text }

func wiring(format string, args ...any) error { return &WiringError{fmt.Sprintf(format, args...)} }

// connect makes the wires: those that were asked for, and those of equal names.
func (r *rig) connect(list []Connection) error {
	for _, c := range list {
		tried := false
		for _, way := range []struct {
			from, to   *part
			name, goes string
		}{{r.controller, r.plant, c.Controller, c.Plant}, {r.plant, r.controller, c.Plant, c.Controller}} {
			source, to := way.from.index(way.name, image.Output, image.State), way.to.index(way.goes, image.Input)
			if source < 0 || to < 0 {
				continue
			}
			tried = true
			if err := r.wire(way.from, way.to, source, to); err != nil {
				return err
			}
			break
		}
		if !tried {
			return wiring("%s=%s connects no output with an input: the controller has the inputs %s and outputs %s, the plant the inputs %s and outputs %s",
				c.Controller, c.Plant, r.controller.list(image.Input), r.controller.list(image.Output), r.plant.list(image.Input), r.plant.list(image.Output))
		}
	}
	for _, way := range [][2]*part{{r.controller, r.plant}, {r.plant, r.controller}} {
		from, to := way[0], way[1]
		declares := slices.ContainsFunc(to.symbols, func(s *image.Symbol) bool { return s.Kind == image.Input && s.About().Role == graph.RoleInput })
		for i, s := range to.symbols {
			if s.Kind != image.Input || r.connected(to, s) || !s.About().Role.FedByName(declares) {
				continue
			}
			if source := from.index(s.Name, image.Output); source >= 0 {
				if err := r.wire(from, to, source, i); err != nil {
					return err
				}
			}
		}
		if !slices.ContainsFunc(r.wires, func(w wire) bool { return w.to == to }) {
			return wiring("no input of the %s is connected: it has %s, and the %s has the outputs %s",
				to.name, to.list(image.Input), from.name, from.list(image.Output))
		}
	}
	return nil
}

func (r *rig) connected(to *part, s *image.Symbol) bool {
	return slices.ContainsFunc(r.wires, func(w wire) bool { return w.to == to && w.destination == s })
}

func (r *rig) wire(from, to *part, source, destination int) error {
	a, b := from.symbols[source], to.symbols[destination]
	if a.DType != b.DType || !a.Shape.Equal(b.Shape) {
		return wiring("%s %s of the %s is %v %v, and %s of the %s %v %v", a.Kind, a.Name, from.name, a.DType, a.Shape, b.Name, to.name, b.DType, b.Shape)
	}
	if r.connected(to, b) {
		return wiring("%s of the %s is connected twice", b.Name, to.name)
	}
	// A result has a value once it was computed, a state always.
	known := slices.ContainsFunc(from.symbols, func(s *image.Symbol) bool { return s.Kind == image.State && s.Offset == a.Offset })
	r.wires = append(r.wires, wire{from, to, source, b, known})
	return nil
}

// names are the wires for people.
func (r *rig) names() []string {
	var list []string
	for _, w := range r.wires {
		list = append(list, fmt.Sprintf("%s.%s -> %s.%s", w.from.name, w.from.symbols[w.source].Name, w.to.name, w.destination.Name))
	}
	return list
}

// carry gives a part the values of the other.
func (r *rig) carry(to *part, begun bool) {
	for _, w := range r.wires {
		if w.to == to && (begun || w.known) {
			to.writes = append(to.writes, device.Piece{Offset: w.destination.Offset, Bytes: w.from.data[w.source]})
		}
	}
}

// step is a tick: the controller sees what the plant has left and acts, and the plant goes on with that. In
// tick 0 the controller's inputs have their own values where the plant's outputs were not computed yet.
func (r *rig) step(ctx context.Context, tick uint32) (took time.Duration, err error) {
	r.carry(r.controller, tick > 0)
	if took, err = r.controller.step(ctx, tick); err != nil {
		return took, fmt.Errorf("controller: %w", err)
	}
	r.carry(r.plant, true)
	if _, err = r.plant.step(ctx, tick); err != nil {
		return took, fmt.Errorf("plant: %w", err)
	}
	return took, nil
}

// differs finds the first value that is not the same in another rig.
func (r *rig) differs(other *rig, tick uint32) *Difference {
	for _, p := range [][2]*part{{r.controller, other.controller}, {r.plant, other.plant}} {
		for i, s := range p[0].symbols {
			if e, a, b, ok := replay.Unequal(s, p[0].data[i], p[1].data[i]); ok {
				return &Difference{p[0].name, replay.Difference{Tick: tick, Variable: *s, Element: e, Recorded: a, Computed: b}}
			}
		}
	}
	return nil
}
