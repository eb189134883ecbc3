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
// A call is one round trip: the arguments that changed, the run and the results go
// together. On the local target that takes some 30 us, which is what to weigh against
// the work of a call. States that the function makes keep their values from call to
// call, for each combination of shapes by itself.
//
// What is wrong with types is an error when the function is made, what is wrong with
// the graph or the target one of the call; Must turns either into a panic.
package jit
