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
// A call is one round trip: the arguments that changed, the run and the results travel
// together. On the local target that takes some 30 us, so a call should do more work than that. States that the function makes keep their values from call to
// call, separately for each combination of shapes.
//
// Wrong types are an error when the function is made; a wrong graph, shape or target is an
// error of the call. Must turns either into a panic.
package jit
