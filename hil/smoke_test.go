package hil_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// smokeOps are what a board can get wrong although another board of its class has it
// right: rounding, subnormals, NaN, the divider, and calls of kernels and services.
var smokeOps = map[graph.DType][]graph.Op{
	graph.Bool: {graph.OpXor},
	graph.I32:  {graph.OpMul, graph.OpFloorDiv, graph.OpMod, graph.OpShr, graph.OpToF32},
	graph.F32:  {graph.OpAdd, graph.OpMul, graph.OpDiv, graph.OpLt, graph.OpSelect, graph.OpToI32, graph.OpSqrt, graph.OpSin, graph.OpExp},
	graph.F64:  {graph.OpAdd, graph.OpDiv, graph.OpSqrt, graph.OpExp},
}

// smokeStep leaves a few of the special values.
const smokeStep = 7

// TestSmoke: a few ops on a few special values, on the boards that TestEveryOpOnSpecialValues
// leaves out.
func TestSmoke(t *testing.T) {
	t.Parallel()
	var tables []table
	for _, dtype := range dtypes {
		for _, op := range smokeOps[dtype] {
			require.True(t, takes(op, dtype), "%v.%v", op, dtype)
			tables = append(tables, opTables(op, dtype, true, smokeStep)[0])
		}
	}
	places := slices.DeleteFunc(allPlaces(t), func(p place) bool { return !p.other })
	require.NotEmpty(t, places)
	checkTables(t, places, func(*place) []table { return tables }, "testdata/not_sent/smoke.txt")
}
