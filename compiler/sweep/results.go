package sweep

import (
	"context"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Set is the text of a parameter with a list of values, for Spec.Sets.
func Set(name string, values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return name + "=" + strings.Join(words, ",")
}

// Column is the values of a parameter or of a result, by run.
type Column struct {
	Name   string
	DType  graph.DType
	Values []float64
}

// Results carries the whole sweep out on a device, with so many workers (0: one for each processor),
// and returns its columns: parameters, results, and flags if the program may raise some.
func (s *Sweep) Results(ctx context.Context, dev device.Device, workers int) ([]Column, error) {
	shared, err := pool.New(ctx, dev, s.Program, workers)
	if err != nil {
		return nil, err
	}
	defer shared.Close()
	names, types := s.Columns()[1:], s.types()
	columns := make([]Column, len(names))
	for i := range columns {
		columns[i] = Column{names[i], types[i], make([]float64, 0, s.Len())}
	}
	err = s.Each(ctx, shared, 0, s.Len(), false, func(c Chunk) error {
		for i := range c.Len {
			for k, v := range s.Values(c.First+i, c.Rows[i*s.width:][:s.width]) {
				columns[k].Values = append(columns[k].Values, v)
			}
		}
		return nil
	})
	return columns, err
}

// types are those of the columns behind the index.
func (s *Sweep) types() (list []graph.DType) {
	for _, p := range s.params {
		list = append(list, p.dtype)
	}
	for _, r := range s.results {
		for range r.count {
			list = append(list, r.dtype)
		}
	}
	if s.flags {
		list = append(list, graph.I32)
	}
	return list
}
