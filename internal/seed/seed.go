// Package seed gives tests of random programs new ones in each run, and the same ones again
// where the environment names the seed of a run that failed.
package seed

import (
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Variable names the seed of a run; `make test` sets and prints it.
const Variable = "COPAFLASH_SEED"

// step separates the seeds of runs that follow each other, so that they share none.
const step = 1 << 20

var run = sync.OnceValues(func() (uint64, error) {
	text := os.Getenv(Variable)
	if text == "" {
		return uint64(time.Now().UnixNano()/1000) % (1 << 31), nil
	}
	return strconv.ParseUint(text, 0, 31)
})

// Of is the seed of this run. Where the test fails it says how to have it again.
func Of(t testing.TB) uint64 {
	t.Helper()
	base, err := run()
	if err != nil {
		t.Fatalf("%s: %v: want a number below 2^31", Variable, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s=%d repeats this", Variable, base)
		}
	})
	return base
}

// List is what random programs are made from: 0 to known-1, the same in every run, and so
// many fresh ones, made of the seed of the run.
func List(t testing.TB, known, fresh int) []uint64 {
	t.Helper()
	base := Of(t)
	list := make([]uint64, 0, known+fresh)
	for i := range known {
		list = append(list, uint64(i))
	}
	for i := range fresh {
		list = append(list, (base+1)*step+uint64(i))
	}
	return list
}
