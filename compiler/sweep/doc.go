// Package sweep runs one compiled program on many values of its parameters: on a grid, or on
// random draws (Monte Carlo). Each run begins with the values that the program was compiled
// with, states included, so that no run depends on another one, nor on how many workers share
// them.
//
//	s, err := sweep.Bind(program, sweep.Spec{Sets: []string{"kp=0:5:100", "ki=0,0.1,0.5"}, Gets: []string{"err"}})
//	pool, err := sweep.NewPool(ctx, s, programs)
//	err = pool.Each(ctx, 0, s.Len(), func(c sweep.Chunk) error { _, err := w.Write(c.CSV); return err })
//
// It knows nothing of scripts, nor of where programs run.
package sweep

// Error is a mistake of whoever asked for a sweep, with the next step.
type Error struct{ Message, Next string }

func (e *Error) Error() string { return e.Message }

// Hint is the next step.
func (e *Error) Hint() string { return e.Next }
