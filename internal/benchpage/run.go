package benchpage

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/copaflash/copaflash/internal/gcc"
)

// entrant is a series and how to run it for vectors of n elements. stop ends what start began; both
// may be called once for each size.
type entrant struct {
	key, name, how string
	start          func(ctx context.Context, n int) (b batch, stop func(), err error)
}

const noNumPy = "NumPy is left out, as no Python here has it (on Debian: apt install python3-numpy)."

// Run measures for about as long as it is told.
func Run(ctx context.Context, d time.Duration) (*Page, error) { return run(ctx, sizes, d) }

func run(ctx context.Context, sizes []int, d time.Duration) (*Page, error) {
	p := &Page{Date: time.Now().UTC(), Sizes: sizes}
	version, err := gcc.Version()
	if err != nil {
		return nil, fmt.Errorf("benchpage: %w", err)
	}
	host, err := openHost(ctx)
	if err != nil {
		return nil, fmt.Errorf("benchpage: %w", err)
	}
	defer host.close()
	all := host.entrants()
	compiled, stop, err := host.compiled(sizes)
	if err != nil {
		return nil, fmt.Errorf("benchpage: %w", err)
	}
	defer stop()
	all = slices.Concat(compiled[:1], all, compiled[1:]) // ours first
	p.Machine = machine(version)
	if python, versions := findNumPy(ctx); python != "" {
		all = append(all, entrant{keyNumPy, "NumPy, float32", "the same expression on arrays of `numpy.float32`", python.start})
		p.Machine = append(p.Machine, versions)
	} else {
		p.Comments = append(p.Comments, noNumPy)
	}
	for _, e := range all {
		p.Series = append(p.Series, Series{Key: e.key, Name: e.name, How: e.how})
	}
	for _, n := range sizes {
		if err := p.measure(ctx, all, n, d/time.Duration(len(sizes))); err != nil {
			return nil, fmt.Errorf("benchpage: n = %d: %w", n, err)
		}
	}
	return p, nil
}

// measure adds the times of one size.
func (p *Page) measure(ctx context.Context, all []entrant, n int, d time.Duration) error {
	var laps []lap
	var names []string
	for _, e := range all {
		b, stop, err := e.start(ctx, n)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		defer stop()
		l, err := b.lap()
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		laps, names = append(laps, l), append(names, e.name)
	}
	times, err := race(ctx, laps, names, d)
	if err != nil {
		return err
	}
	for i := range p.Series {
		p.Series[i].Least = append(p.Series[i].Least, slices.Min(times[i]))
		p.Series[i].Median = append(p.Series[i].Median, median(times[i]))
	}
	rounds := len(times[0])
	if p.Rounds[0] == 0 {
		p.Rounds[0] = rounds
	}
	p.Rounds = [2]int{min(p.Rounds[0], rounds), max(p.Rounds[1], rounds)}
	return nil
}

// machine names what the figures depend on.
func machine(gccVersion string) []string {
	list := []string{
		processor() + fmt.Sprintf(", %d processors", runtime.NumCPU()),
		runtime.GOOS + "/" + runtime.GOARCH,
		runtime.Version(),
		gccVersion,
	}
	if load := loadAverage(); load != "" {
		list = append(list, "load average of the minute before: "+load)
	}
	return list
}
