// Package pil runs a controller on a target and a model of its plant on the host in lockstep: processor in the
// loop. Each tick's outputs of the one are inputs of the other. The same two programs run on the oracle
// beside, and all values are compared bit for bit.
package pil

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/replay"
	"github.com/copaflash/copaflash/hil/timing"
)

// Side is a program and the device that it runs on, for whose architecture it was compiled.
type Side struct {
	Program *compiler.Program
	Device  device.Device
	Set     []device.Piece // before tick 0
}

// Config says what runs.
type Config struct {
	Controller, Plant Side
	// Connections are beside those of variables that have the same name on both sides.
	Connections []Connection
	Ticks       int
	// Period is the time from tick to tick in the recording; 0: as the controller says, or else 1 ms.
	Period time.Duration
	// Pace is the time from tick to tick here; 0: as fast as it goes.
	Pace time.Duration
	// Unchecked leaves the oracle out.
	Unchecked bool
	// Each is told the values of each tick, unless it is nil; an error ends the run.
	Each func(tick uint32, v Values) error
	// Progress is told how many ticks were computed, now and then, unless it is nil.
	Progress func(ticks int)
}

// Connection is an input or output of the controller and the variable of the plant that it goes with.
type Connection struct{ Controller, Plant string }

// Report is what came of it.
type Report struct {
	Ticks      int
	Took       time.Duration
	Execution  timing.Summary // of the controller's ticks, by its device's timer
	Wires      []string       // what was connected, as "controller.u -> plant.u"
	Difference *Difference    // from the oracle, the first one; nil: there is none
	// Controller and Plant can be replayed.
	Controller, Plant *record.Recording
}

// Difference is a value of the target that the oracle has otherwise.
type Difference struct {
	Side string // "controller" or "plant"
	replay.Difference
}

func (d *Difference) String() string {
	name := d.Variable.Name
	if d.Variable.Len() > 1 {
		name = fmt.Sprintf("%s[%d]", name, d.Element)
	}
	digits := 2 * d.Variable.DType.Size()
	return fmt.Sprintf("tick %d: %s %s of the %s is %s (%#0*x), on the oracle %s (%#0*x)", d.Tick, d.Variable.Kind, name, d.Side,
		d.Number(d.Recorded), digits, d.Recorded, d.Number(d.Computed), digits, d.Computed)
}

// Run runs the two programs. Where the report has a Difference they ended behind that tick.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Ticks < 1 {
		return nil, errors.New("pil: at least one tick is needed")
	}
	here, err := newRig(ctx, &c, c.Controller.Device, c.Plant.Device)
	if err != nil {
		return nil, fmt.Errorf("pil: %w", err)
	}
	defer here.release()
	r := &Report{Wires: here.names()}
	if r.Controller, err = here.controller.recording(ctx, &c); err == nil {
		r.Plant, err = here.plant.recording(ctx, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("pil: %w", err)
	}
	var there *rig
	if !c.Unchecked {
		dev, err := oracle.New(c.Controller.Device.Arch())
		if err != nil {
			return nil, err
		}
		if there, err = newRig(ctx, &c, dev, dev); err != nil {
			return nil, fmt.Errorf("pil: on the oracle: %w", err)
		}
		defer there.release()
	}
	return r, r.run(ctx, &c, here, there)
}

func (r *Report) run(ctx context.Context, c *Config, here, there *rig) error {
	var times timing.Recorder
	period := r.Controller.Period
	begin := time.Now()
	for n := range c.Ticks {
		tick := uint32(n)
		if err := wait(ctx, begin.Add(time.Duration(n)*c.Pace)); err != nil {
			return err
		}
		took, err := here.step(ctx, tick)
		if err != nil {
			return fmt.Errorf("pil: tick %d: %w", tick, err)
		}
		times.Add(took)
		r.Ticks++
		r.Controller.Records = append(r.Controller.Records, here.controller.record(tick, period))
		r.Plant.Records = append(r.Plant.Records, here.plant.record(tick, period))
		if there != nil {
			if _, err := there.step(ctx, tick); err != nil {
				return fmt.Errorf("pil: tick %d on the oracle: %w", tick, err)
			}
			if r.Difference = here.differs(there, tick); r.Difference != nil {
				break
			}
		}
		if c.Each != nil {
			if err := c.Each(tick, Values{here}); err != nil {
				return err
			}
		}
		if c.Progress != nil && n%256 == 255 {
			c.Progress(n + 1)
		}
	}
	r.Took, r.Execution = time.Since(begin), times.Summary()
	end := func(r *record.Recording) { r.Status = &record.Status{End: "stopped", Ticks: uint32(len(r.Records))} }
	end(r.Controller)
	end(r.Plant)
	return nil
}

// wait waits until a time, if it has not passed.
func wait(ctx context.Context, then time.Time) error {
	left := time.Until(then)
	if left <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Values are those of a tick.
type Values struct{ r *rig }

// Controller is a variable of the controller by its name, Plant one of the plant.
func (v Values) Controller(name string) (s *image.Symbol, data []byte, err error) {
	return v.r.controller.value(name)
}

// Plant is a variable of the plant.
func (v Values) Plant(name string) (s *image.Symbol, data []byte, err error) {
	return v.r.plant.value(name)
}
