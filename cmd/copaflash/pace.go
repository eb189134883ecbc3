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
	p.addFor(c, "start the runs of --"+count+" at this rate, such as 1kHz or 50Hz, and tell their timing")
}

// addFor is add with a help text.
func (p *pace) addFor(c *cobra.Command, text string) {
	c.Flags().StringVar(&p.rate, "rate", "", text)
	c.Flags().StringVar(&p.period, "period", "", "the same as the time from start to start, such as 1ms")
}

// given reports whether there is a pace at all.
func (p *pace) given() bool { return p.rate != "" || p.period != "" }

// hz is the rate, in ticks a second; 0: none is given.
func (p *pace) hz() (hz float64, err error) {
	switch {
	case !p.given():
		return 0, nil
	case p.rate != "" && p.period != "":
		return 0, &failure{Code: exitUsage, Message: "--rate and --period say the same", Hint: "give one of them"}
	case p.period != "":
		var d time.Duration
		if d, err = time.ParseDuration(p.period); err != nil {
			err = fmt.Errorf("it is no time with a unit")
		} else if d < device.MinPeriod || d > device.MaxPeriod {
			err = fmt.Errorf("a period of %v: want %v to %v", d, device.MinPeriod, device.MaxPeriod)
		}
		hz = 1 / d.Seconds()
	default:
		hz, err = parseHz(p.rate)
	}
	if err != nil {
		return 0, p.refused(err)
	}
	return hz, nil
}

// refused says what is wrong with the flag that was given.
func (p *pace) refused(err error) error {
	if p.period != "" {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--period %s: %v", p.period, err), Hint: "for example: --period 1ms; the units are us, ms, s, m and h"}
	}
	return &failure{Code: exitUsage, Message: fmt.Sprintf("--rate %s: %v", p.rate, err), Hint: "for example: --rate 1kHz; the units are Hz, kHz and MHz"}
}

// of is the time from start to start of runs; 0: back to back. counted tells that --count was given.
func (p *pace) of(count string, counted bool) (time.Duration, error) {
	hz, err := p.hz()
	if hz == 0 || err != nil {
		return 0, err
	}
	d, err := device.Period(time.Duration(math.Round(1e9 / hz)))
	if err != nil {
		return 0, p.refused(err)
	}
	if !counted {
		flag := "--rate"
		if p.period != "" {
			flag = "--period"
		}
		return 0, &failure{Code: exitUsage, Message: flag + " needs --" + count + ", the number of ticks", Hint: "for a second at 1 kHz: --" + count + " 1000 --rate 1kHz"}
	}
	return d, nil
}

// rateUnits are those of rates, in Hz.
var rateUnits = []struct {
	name string
	hz   float64
}{{"kHz", 1e3}, {"MHz", 1e6}, {"Hz", 1}} // Hz ends the names of the others

// parseHz reads a rate such as 1kHz, in Hz.
func parseHz(text string) (float64, error) {
	text = strings.TrimSpace(text)
	for _, u := range rateUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", number)
		}
		if hz := x * u.hz; hz >= 1/device.MaxPeriod.Seconds() && hz <= 1e6 {
			return hz, nil
		}
		return 0, fmt.Errorf("want %.4g Hz to 1 MHz", 1/device.MaxPeriod.Seconds())
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
