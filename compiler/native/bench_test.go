//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"fmt"
	"testing"
)

var ways = []struct {
	name string
	long bool
}{{"bare", false}, {"as a system call", true}}

// BenchmarkCall is what a call costs in itself, either way.
func BenchmarkCall(b *testing.B) {
	p := load(b, forged(codes[Arch].nothing...))
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) { benchmark(b, p, w.long) })
	}
}

// BenchmarkThreshold is what a system call adds to programs of about 2000, 20 000 (shortCall) and 200 000 instructions.
func BenchmarkThreshold(b *testing.B) {
	for _, turns := range []int{4, 40, 400} {
		s := loop(b, turns)
		p := load(b, s.Image)
		for _, w := range ways {
			b.Run(fmt.Sprintf("%d instructions, %s", p.Instructions(), w.name), func(b *testing.B) { benchmark(b, p, w.long) })
		}
	}
}

func benchmark(b *testing.B, p *Program, long bool) {
	p.long = long
	for b.Loop() {
		if err := p.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFault is a fault that becomes an error.
func BenchmarkFault(b *testing.B) {
	if err := GuardFaults(); err != nil {
		b.Skip("SKIP:", err)
	}
	p := load(b, forged(illegal()...))
	for b.Loop() {
		if p.Run() == nil {
			b.Fatal("no fault")
		}
	}
}
