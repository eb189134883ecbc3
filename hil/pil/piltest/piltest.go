// Package piltest makes a test case of a controller and a plant: processor in the loop under go test.
package piltest

import (
	"fmt"
	"math"
	"testing"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/target"
)

// Case is a controller in closed loop with a model of its plant.
type Case struct {
	Controller, Plant string // scripts or graph files
	Target            string // of the controller, as target.Open takes it; empty: "local"
	Options           target.Options
	Connections       []pil.Connection // beside those of equal names
	Ticks             int
	// Check judges the values of a tick, unless it is nil.
	Check func(tick uint32, v Values) error
}

// Values are those of a tick. A name that there is none of, or an element, fails the test.
type Values struct {
	t testing.TB
	v pil.Values
}

// Controller is a scalar of the controller.
func (v Values) Controller(name string) float64 { return v.number(name, v.v.Controller) }

// Plant is a scalar of the plant.
func (v Values) Plant(name string) float64 { return v.number(name, v.v.Plant) }

func (v Values) number(name string, of func(string) (*image.Symbol, []byte, error)) float64 {
	v.t.Helper()
	s, data, err := of(name)
	if err != nil {
		v.t.Fatal(err)
	}
	if s.Len() != 1 {
		v.t.Fatalf("%s has %d elements", name, s.Len())
	}
	bits := s.DType.At(s.Decode(data).Bits, 0)
	switch s.DType {
	case graph.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case graph.F64:
		return math.Float64frombits(bits)
	}
	return float64(int32(bits))
}

// Run runs a case. It fails the test where a value is not, bit for bit, the one that the oracle
// computes, and where Check says so.
func Run(t testing.TB, c Case) *pil.Report {
	t.Helper()
	if c.Target == "" {
		c.Target = target.LocalName
	}
	there, err := target.Open(t.Context(), c.Target, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	here, err := target.Open(t.Context(), target.LocalName, target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	config := pil.Config{Connections: c.Connections, Ticks: c.Ticks,
		Controller: pil.Side{Device: there}, Plant: pil.Side{Device: here}}
	if config.Controller.Program, err = pil.Compile(t.Context(), c.Controller, there); err == nil {
		config.Plant.Program, err = pil.Compile(t.Context(), c.Plant, here)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Check != nil {
		config.Each = func(tick uint32, v pil.Values) error {
			if err := c.Check(tick, Values{t, v}); err != nil {
				return fmt.Errorf("tick %d: %w", tick, err)
			}
			return nil
		}
	}
	r, err := pil.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if r.Difference != nil {
		t.Fatal(r.Difference)
	}
	return r
}
