package device

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Check refuses what no device can do with a program of so many entries and bytes of data.
func (c *LoopConfig) Check(entries int, dataSize uint64) error {
	if _, _, err := c.Counts(uint64(time.Second)); err != nil {
		return err
	}
	switch {
	case c.Limit < 0 || c.Silence < 0 || c.Watchdog < 0:
		return errors.New("a limit, silence or watchdog of a loop must not be negative")
	case c.Misses < 0 || int64(c.Misses) > math.MaxUint32:
		return fmt.Errorf("%d missed ticks in a row: want 0, for any number, to %d", c.Misses, uint32(math.MaxUint32))
	}
	if ns, _, _ := c.Counts(uint64(time.Second)); c.Watchdog > 0 && uint64(c.Watchdog) <= 2*ns {
		return fmt.Errorf("a hardware watchdog of %v with a period of %v would reset the board: want more than two periods", c.Watchdog, time.Duration(ns))
	}
	if err := CheckTasks(c.Tasks, entries); err != nil {
		return err
	}
	for _, p := range c.Safe {
		if p.end() > dataSize {
			return fmt.Errorf("safe values at bytes %d to %d are outside the data block of %d bytes", p.Offset, p.end(), dataSize)
		}
	}
	return nil
}

// CheckTasks refuses tasks that a program of so many entries cannot have. None are the first entry in every tick.
func CheckTasks(tasks []Task, entries int) error {
	if len(tasks) > packet.MaxTasks {
		return fmt.Errorf("%d tasks: a loop has at most %d", len(tasks), packet.MaxTasks)
	}
	for i, t := range tasks {
		if t.Entry < 0 || t.Entry >= entries {
			return fmt.Errorf("task %d runs entry %d of a program that has %d", i, t.Entry, entries)
		}
		if t.Divisor < 1 || int64(t.Divisor) > math.MaxUint32 {
			return fmt.Errorf("task %d runs in every tick whose number is a multiple of %d: want at least 1", i, t.Divisor)
		}
	}
	return nil
}

// Counts is the period in counts of a timer, hz of them a second, and the rest in 2^-32 counts.
func (c *LoopConfig) Counts(hz uint64) (counts uint64, rest uint32, err error) {
	p := new(big.Rat)
	switch {
	case c.Hz != 0:
		if math.IsNaN(c.Hz) || math.IsInf(c.Hz, 0) || c.Hz < 0 {
			return 0, 0, fmt.Errorf("a loop with %v ticks a second: want a positive number", c.Hz)
		}
		p.Inv(p.SetFloat64(c.Hz))
	case c.Period > 0:
		p.SetFrac64(int64(c.Period), int64(time.Second))
	default:
		return 0, 0, fmt.Errorf("a loop with a period of %v: want %v to %v", c.Period, MinPeriod, MaxPeriod)
	}
	if p.Cmp(big.NewRat(int64(MinPeriod), int64(time.Second))) < 0 || p.Cmp(big.NewRat(int64(MaxPeriod), int64(time.Second))) > 0 {
		return 0, 0, fmt.Errorf("a loop with %.6g ticks a second: want %.6g to %.6g", 1/ratio(p), 1/MaxPeriod.Seconds(), 1/MinPeriod.Seconds())
	}
	p.Mul(p, new(big.Rat).SetFrac(new(big.Int).Lsh(new(big.Int).SetUint64(hz), 32), big.NewInt(1)))
	// To the nearest 2^-32 count.
	n := new(big.Int).Lsh(p.Num(), 1)
	n.Add(n, p.Denom()).Quo(n, new(big.Int).Lsh(p.Denom(), 1))
	rest = uint32(new(big.Int).And(n, big.NewInt(math.MaxUint32)).Uint64())
	if n.Rsh(n, 32); !n.IsUint64() || n.Sign() == 0 {
		return 0, 0, fmt.Errorf("a period of %.6g s: the device's timer has %d counts a second", ratio(p), hz)
	}
	return n.Uint64(), rest, nil
}

func ratio(p *big.Rat) float64 { f, _ := p.Float64(); return f }
