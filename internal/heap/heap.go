// Package heap has the heap of a command grow for a burst of allocations. A command lives for milliseconds and
// touches most of its memory for the first time: with pages of 4 KB it pays a page fault for each of them, which
// on a virtual machine is most of its time. So Linux is asked for huge pages. It is for commands: a library leaves
// the memory of its process alone.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// small is how large the heap of most commands does not become. There is no collection before.
	small = 8 << 20
	// large is how large the heap becomes before it is collected in a command that is not small, or that it is made
	// ready for at once. A larger one is collected whenever it has doubled.
	large = 256 << 20
)

// Begin prepares the heap for the command that begins.
func Begin() {
	const unit = 4 << 20 // the least heap that is collected, at 100 %
	debug.SetGCPercent(small / unit * 100)
	here() // what the init found is used up
	afterCollection(func() {
		ahead()
		tune()
	})
}

// tune sets when the next collection is due, after each one.
func tune() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	const least = 1 << 20
	debug.SetGCPercent(max(100, int(large*100/max(live[0].Value.Uint64(), least))-100))
	afterCollection(tune)
}

// afterCollection calls a function once, after the next collection.
func afterCollection(call func()) {
	type sentinel [64]byte // too large to share its memory with an object that lives on
	runtime.AddCleanup(new(sentinel), func(call func()) { call() }, call)
}
