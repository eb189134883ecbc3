package conversion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func ints(v int32) Value     { return Value{Type: I32, Int: v} }
func floats(v float32) Value { return Value{Type: F32, F32: v} }

func TestEval(t *testing.T) {
	yes, no := Of(Bool, 1), Of(Bool, 0)
	seen := map[Kind]bool{}
	for _, c := range []struct {
		step     Step
		in, want Value
	}{
		{Step{Mask, 0xffffffff, 0}, ints(-5), ints(-5)},
		{Step{Mask, 0xf0, 0}, ints(0x1ff), ints(0xf0)},
		{Step{Shift, 4, 0}, ints(-1), ints(-16)},
		{Step{Shift, -4, 0}, ints(-1), ints(0x0fffffff)},
		{Step{Signed, 12, 0}, ints(0x1800), ints(-2048)},
		{Step{Signed, 12, 0}, ints(0x7ff), ints(2047)},
		{Step{Flip, 1, 0}, ints(3), ints(2)},
		{Step{Limit, -2, 7}, ints(-3), ints(-2)},
		{Step{Limit, -2, 7}, ints(8), ints(7)},
		{Step{Truth, 0, 0}, ints(2), yes},
		{Step{Truth, 0, 0}, ints(0), no},
		{Step{Select, 0x80000000, 1}, yes, ints(math.MinInt32)},
		{Step{Select, 4, 1}, no, ints(1)},
		{Step{Float, 0, 0}, ints(1<<24 + 1), floats(1 << 24)},
		{Step{Scale, 0.1, 0}, floats(3), floats(float32(0.1) * 3)},
		{Step{Offset, -1, 0}, floats(0.25), floats(-0.75)},
		{Step{Clamp, 0, 1}, floats(-0.5), floats(0)},
		{Step{Clamp, 0, 1}, floats(2), floats(1)},
		{Step{Round, 0, 0}, floats(2.5), ints(2)},
		{Step{Round, 0, 0}, floats(float32(math.Inf(1))), ints(math.MaxInt32)},
		{Step{Round, 0, 0}, floats(float32(math.Inf(-1))), ints(math.MinInt32)},
		{Step{Round, 0, 0}, floats(float32(math.NaN())), ints(0)},
	} {
		to, err := Check([]Step{c.step}, c.in.Type)
		require.NoError(t, err, "%v", c.step)
		require.Equal(t, c.want.Type, to)
		require.Equal(t, c.want, Eval([]Step{c.step}, c.in, nil), "%v", c.step)
		seen[c.step.Kind] = true
	}
	nan := Eval([]Step{{Clamp, 0, 1}}, floats(float32(math.NaN())), nil)
	require.True(t, math.IsNaN(nan.Float()))
	for _, k := range Kinds() {
		require.True(t, seen[k] || forms[k].state, "%s has no case", k)
	}
}

// A counter of 16 bits that passes its ends goes on counting.
func TestUnwrap(t *testing.T) {
	steps := []Step{{Kind: Difference}, {Kind: Signed, A: 16}, {Kind: Sum}}
	state := make([]int32, States(steps))
	for _, c := range []struct{ raw, want int32 }{{0, 0}, {30000, 30000}, {60000, 60000}, {10, 65546}, {65530, 65530}, {0, 65536}} {
		require.Equal(t, ints(c.want), Eval(steps, ints(c.raw), state))
	}
}

func TestCheckErrors(t *testing.T) {
	for text, steps := range map[string][]Step{
		`step 1: "square" is not known`:               {{Kind: "square"}},
		"step 2: scale takes f32, not bool":           {{Kind: Truth}, {Kind: Scale, A: 2}},
		"step 1: mask: 0.5 is not a number of 32 bit": {{Kind: Mask, A: 0.5}},
		"step 1: limit: 2 is above 1":                 {{Kind: Limit, A: 2, B: 1}},
		"step 1: signed: 33 bits: want 1 to 32":       {{Kind: Signed, A: 33}},
		"step 1: shift: by -32":                       {{Kind: Shift, A: -32}},
		"step 2: scale: 1e+39 is no float":            {{Kind: Float}, {Kind: Scale, A: 1e39}},
	} {
		_, err := Check(steps, I32)
		require.ErrorContains(t, err, text)
	}
	require.Equal(t, "clamp 0 1", Step{Clamp, 0, 1}.String())
}
