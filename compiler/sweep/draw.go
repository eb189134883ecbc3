package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/copaflash/copaflash/compiler/eval/math64"
)

// distribution is what a parameter is drawn from.
type distribution struct {
	a, b float64
	draw func(r *rand.Rand, a, b float64) float64
}

var distributions = []struct {
	name, parameters string
	fits             func(a, b float64) bool
	draw             func(r *rand.Rand, a, b float64) float64
}{
	{"uniform", "LOW,HIGH", func(a, b float64) bool { return a <= b && !math.IsInf(b-a, 0) }, uniform},
	{"normal", "MEAN,SIGMA", func(_, b float64) bool { return b >= 0 }, normal},
}

func parseDistribution(text string) (*distribution, error) {
	name, rest, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	for _, row := range distributions {
		if row.name != strings.TrimSpace(name) {
			continue
		}
		first, second, ok := strings.Cut(rest, ",")
		if !ok {
			return nil, fmt.Errorf("%s takes two numbers, %s(%s)", row.name, row.name, row.parameters)
		}
		a, err := parseFinite(first)
		if err != nil {
			return nil, err
		}
		b, err := parseFinite(second)
		if err != nil {
			return nil, err
		}
		if !row.fits(a, b) {
			return nil, fmt.Errorf("this is not %s(%s)", row.name, row.parameters)
		}
		return &distribution{a, b, row.draw}, nil
	}
	return nil, fmt.Errorf("%q is no distribution", name)
}

// uniform is from a to below b. Each product is rounded before it is added, here and below, so
// that all machines draw the same bits.
func uniform(r *rand.Rand, a, b float64) float64 { return a + float64((b-a)*r.Float64()) }

// normal is by Marsaglia's polar method.
func normal(r *rand.Rand, mean, sigma float64) float64 {
	for {
		u, v := float64(2*r.Float64())-1, float64(2*r.Float64())-1
		if s := float64(u*u) + float64(v*v); s > 0 && s < 1 {
			return mean + float64(sigma*float64(u*math.Sqrt(-2*math64.Log(s)/s)))
		}
	}
}

// generator is that of one run, so that a run draws the same whoever runs it, and when.
func generator(seed uint64, run int) *rand.Rand {
	// Neighbouring numbers become unlike ones (the finisher of splitmix64).
	x := uint64(run) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return rand.New(rand.NewPCG(seed, x^x>>31))
}
