package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
)

// pace is how far apart runs start, as it is given on the command line: --rate or --period.
type pace struct{ rate, period string }

// add adds the flags; count is the one that says how many runs.
func (p *pace) add(c *cobra.Command, count string) {
	c.Flags().StringVar(&p.rate, "rate", "", "start the runs of --"+count+" at this rate, such as 1kHz or 50Hz, and tell their timing")
	c.Flags().StringVar(&p.period, "period", "", "the same as the time from start to start, such as 1ms")
}

// of is the time from start to start; 0: back to back. counted tells that --count was given.
func (p *pace) of(count string, counted bool) (d time.Duration, err error) {
	flag, text, hint := "--rate", p.rate, "for example: --rate 1kHz; the units are Hz, kHz and MHz"
	switch {
	case p.rate == "" && p.period == "":
		return 0, nil
	case p.rate != "" && p.period != "":
		return 0, &failure{Code: exitUsage, Message: "--rate and --period say the same: give one of them"}
	case p.period != "":
		flag, text, hint = "--period", p.period, "for example: --period 1ms; the units are us, ms, s, m and h"
		if d, err = time.ParseDuration(text); err != nil {
			err = fmt.Errorf("it is no time with a unit")
		}
	default:
		d, err = parseRate(text)
	}
	if err == nil {
		d, err = device.Period(d)
	}
	if err != nil {
		return 0, &failure{Code: exitUsage, Message: fmt.Sprintf("%s %s: %v", flag, text, err), Hint: hint}
	}
	if !counted {
		return 0, &failure{Code: exitUsage, Message: flag + " needs --" + count + ", the number of ticks", Hint: "for a second at 1 kHz: --" + count + " 1000 --rate 1kHz"}
	}
	return d, nil
}

// rateUnits are those of rates, in Hz.
var rateUnits = []struct {
	name string
	hz   float64
}{{"kHz", 1e3}, {"MHz", 1e6}, {"Hz", 1}} // Hz ends the names of the others

// parseRate is the period of a rate such as 1kHz.
func parseRate(text string) (time.Duration, error) {
	for _, u := range rateUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if hz := x * u.hz; err == nil && hz > 1e-4 && hz < 1e9 {
			return time.Duration(math.Round(1e9 / hz)), nil
		} else if err == nil {
			return 0, fmt.Errorf("want %.4g Hz to 1 MHz", 1/device.MaxPeriod.Seconds())
		}
		return 0, fmt.Errorf("%q is not a number", number)
	}
	return 0, fmt.Errorf("it is no rate with a unit")
}

// tickTiming is what JSON documents tell of ticks. What the target does not measure is missing.
type tickTiming struct {
	PeriodNS        int64     `json:"period_ns"`
	Ticks           int       `json:"ticks"`
	Late            int       `json:"late"`
	WorstLatenessNS *int64    `json:"worst_lateness_ns,omitempty"`
	JitterNS        *int64    `json:"jitter_ns,omitempty"`
	ExecutionNS     execution `json:"execution_ns"`
	Paced           bool      `json:"paced"`
}

type execution struct {
	Min  int64 `json:"min"`
	Mean int64 `json:"mean"`
	Max  int64 `json:"max"`
}

// tickTimingOf is nil for runs back to back.
func tickTimingOf(t *device.Timing) *tickTiming {
	if t == nil {
		return nil
	}
	e := t.Execution
	r := &tickTiming{PeriodNS: t.Period.Nanoseconds(), Ticks: t.Ticks, Late: t.Late, Paced: !t.Unpaced,
		ExecutionNS: execution{e.Min.Nanoseconds(), e.Mean.Nanoseconds(), e.Max.Nanoseconds()}}
	if s := t.Starts; s != nil {
		worst, jitter := s.Worst.Nanoseconds(), s.Jitter.Nanoseconds()
		r.WorstLatenessNS, r.JitterNS = &worst, &jitter
	}
	return r
}

// String is a line of text.
func (t *tickTiming) String() string {
	ns := func(n int64) string { return duration(time.Duration(n)) }
	starts := "by how much, and the jitter of the starts, the runner does not tell"
	switch {
	case !t.Paced:
		starts = "the oracle does not wait"
	case t.WorstLatenessNS != nil:
		starts = "worst lateness " + ns(*t.WorstLatenessNS) + ", jitter " + ns(*t.JitterNS)
	}
	e := t.ExecutionNS
	return fmt.Sprintf("%s, one every %s: %d late (%s); execution %s min, %s mean, %s max",
		plural(t.Ticks, "tick"), ns(t.PeriodNS), t.Late, starts, ns(e.Min), ns(e.Mean), ns(e.Max))
}
