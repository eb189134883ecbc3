package sweep

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
)

// compute carries out n runs from the first on. With an error come the rows of the runs before
// the one that failed. They are in the memory of rows if there is enough of it.
func (s *Sweep) compute(ctx context.Context, w *pool.Worker, rows []byte, first, n int) ([]byte, error) {
	rows = slices.Grow(rows[:0], n*s.width)[:n*s.width]
	point := make([]float64, len(s.params))
	block := w.Memory()
	for i := range n {
		s.plan.point(first+i, point)
		w.Reset()
		for k := range s.params {
			p := &s.params[k]
			p.dtype.Store(block[p.offset:], encode(p.dtype, point[k]))
		}
		if err := w.RunTimes(ctx, s.ticks); err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("run %d (%s): %w", first+i, s.describe(point), err)
			}
			return rows[:i*s.width], err
		}
		row := rows[i*s.width:]
		for k := range s.results {
			row = s.results[k].read(row, block)
		}
		if s.flags {
			binary.LittleEndian.PutUint32(row, uint32(w.Raised()))
		}
	}
	return rows, nil
}

// read puts the elements of a result into a row and returns the rest of the row. Every NaN
// becomes the one that NaN is outside of programs.
func (p *place) read(row, block []byte) []byte {
	from, size := block[p.offset:], p.dtype.Size()
	for i := range p.count {
		p.dtype.Store(row[i*size:], graph.Canonical(p.dtype, p.dtype.Load(from[i*size:])))
	}
	return row[p.count*size:]
}

// describe names the parameters of a run, as they are used.
func (s *Sweep) describe(point []float64) string {
	var parts []string
	for i, p := range s.params {
		parts = append(parts, p.name+"="+string(appendValue(nil, p.dtype, encode(p.dtype, point[i]))))
	}
	return strings.Join(parts, ", ")
}
