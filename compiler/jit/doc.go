// Package jit runs typed Go functions as machine code on a target: a function that
// builds a graph is traced and compiled at the first call with each combination of
// argument shapes, stays loaded, and is called with plain Go values. It is what
// @cp.jit is in scripts.
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
// New1 to New4 make functions of one to four arguments; NewStruct one of a struct
// with a struct of results. The types of arguments and results are float32, float64, int32
// and bool, slices and arrays of them ([]float32, [3]float32) and those of more axes
// ([][]float32, whose rows have one length). A slice may have another length in
// the next call, at the cost of compiling once for it.
//
// What is wrong with types is an error when the function is made, what is wrong with
// the graph or the target one of the call; Must turns either into a panic.
//
// # What a call costs
//
// Where the program is in this process, as on the local target, a call copies the arguments into
// its data block, runs it and copies the results out: 20 to 40 ns beside the work, and the time to copy
// large arrays. It allocates nothing but slices for results, and not even these with CallInto, which fills slices
// that are there:
//
//	to := make([]float32, 1000)
//	for ... {
//		err := scale.CallInto(ctx, &to, v, 2) // v may be to
//	}
//
// Elsewhere, a call is one round trip: the arguments that changed, the run and the results go
// together. That takes tens of microseconds to a process and milliseconds over a serial port, which
// is what to weigh against the work of a call.
//
// States that the function makes keep their values from call to call, for each combination of
// shapes by itself.
//
// # Many calls
//
// A function may be called from several goroutines; its calls are carried out one after the other,
// those of different functions at the same time if their programs are in this process. To
// run one function on many arguments, as for Monte Carlo or to sweep parameters, there is Map, which spreads
// them over all processors, each with a data block of its own:
//
//	costs := make([]float32, len(gains))
//	err := cost.Map(ctx, costs, gains)
//
// Each call begins with the initial states, so that the results do not depend on the number of
// workers; Device.Parallel sets it. MapSeries runs simulations of many steps, in each of which states go on from step to
// step. The first error, in the order of the samples, ends Map; it wraps a *pool.Error with the
// number of its sample.
package jit
