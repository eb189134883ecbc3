// Package loop runs programs of this process every tick: the engine of loops (device.Loop) for devices whose
// programs are memory and functions here.
//
// A loop is a goroutine with a thread of its own that sleeps until absolute times. All that a tick needs is
// its own: no lock, no allocation and no other goroutine is waited for within a tick. The methods of a Loop, the
// link side, leave what they want done in one place, and the goroutine looks there between two ticks;
// records go out by rings of which the tick side only writes.
package loop
