// Package math64 is the float64 functions of the language, for the
// oracle: the C kernels in stencils/src/kernels/f64, step by step.
//
// They are not correctly rounded by contract, at most 1 ULP off (0.73 in the samples
// of stencils/proof/sample64.log), so that each has one definition in double
// arithmetic, and the results are equal to the last bit: the self-test of the stencils
// holds every kernel of every library against this package. A product that is added to
// something is converted explicitly, since Go may otherwise fuse the two on arm64 and
// round once instead of twice.
//
// Each function takes a bounded number of steps: the reduction of angles multiplies by
// the 224 bits of 2/pi that matter, and no loop depends on data.
package math64
