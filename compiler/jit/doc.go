// Package jit runs typed Go functions as machine code on a target: a function that
// builds a graph is traced and compiled at the first call with each combination of
// argument shapes, stays loaded, and is called with plain Go values. It is the
// counterpart of @cp.jit in scripts.
//
//	dev, err := jit.Open(ctx, "local")
//	...
//	defer dev.Close()
//	norm, err := jit.New1[[]float32, float32](dev, func(v graph.Value) graph.Value {
//		return v.Norm()
//	})
//	...
//	length, err := norm.Call(ctx, []float32{3, 4}) // 5
//
// New1 to New4 make functions of one to four arguments; NewStruct makes a function from
// a struct of arguments to a struct of results. The types of arguments and results are float32, float64, int32
// and bool, slices and arrays of them ([]float32, [3]float32) and those of more axes
// ([][]float32, whose rows have the same length). A slice may have a different length in
// the next call, which compiles once for each new length.
//
// Wrong types are an error when the function is made; a wrong graph, shape or target is an
// error of the call. Must turns either into a panic.
//
// # What a call costs
//
// Where the program is in this process, as on the local target, a call copies the arguments into
// its data block, runs it and copies the results out: 20 to 40 ns beside the work, and the time to copy
// large arrays. It allocates nothing but slices for results, and with CallInto, which fills existing slices, not
// even these:
//
//	to := make([]float32, 1000)
//	for ... {
//		err := scale.CallInto(ctx, &to, v, 2) // v may be to
//	}
//
// Elsewhere, a call is one round trip: the arguments that changed, the run and the results travel
// together. That takes tens of microseconds to a process and milliseconds over a serial port, so a
// call should do more work than that.
//
// States that the function makes keep their values from call to call, separately for each combination of
// shapes.
//
// # Many calls
//
// A function may be called from several goroutines. Its calls are carried out one after the other;
// those of different functions run at the same time if their programs are in this process. Map
// runs one function on many arguments, for Monte Carlo or to sweep parameters. It spreads
// them over all processors, each with a data block of its own:
//
//	costs := make([]float32, len(gains))
//	err := cost.Map(ctx, costs, gains)
//
// Each call begins with the initial states, so that the results do not depend on the number of
// workers; Device.Parallel sets it. MapSeries runs simulations of many steps, in which states go on from step to
// step. The first error, in the order of the samples, ends Map; it wraps a *pool.Error with the
// number of its sample.
package jit
