package service_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBind: inputs of a graph are fed by channels, and then are outputs.
func TestBind(t *testing.T) {
	const doubled = `{"format":"copaflash-graph","version":1,"nodes":[{"op":"input","type":"f32","name":"x","value":3},{"op":"add","type":"f32","args":[0,0]}],"outputs":[{"name":"y","node":1}]}`
	load := func(rest string) string { return fmt.Sprintf(`{"do":"load","graph":%s,%s}`, doubled, rest) }
	opt := options()
	opt.ReadFile = func(string, int64) ([]byte, error) { return []byte("5\n7\n"), nil }
	out := serve(t, opt, load(`"bind":{"x":"sim:loop=y"}`)+"\n"+`{"do":"run","program":1,"n":3}`+"\n"+load(`"bind":{"x":"sim:csv=t"}`)+"\n"+`{"do":"run","program":2,"n":2}`+"\n"+
		load(`"bind":{"x":"sim:sine,amplitude=3"},"rate":4`)+"\n"+`{"do":"run","program":3,"n":2,"get":["x"]}`)
	require.Contains(t, out[0], `"inputs":[],"states":[{"name":"x.loop"`)
	require.Contains(t, out[1], `"values":{"x":12,"y":24}`)
	require.Contains(t, out[3], `"values":{"x":7,"y":14}`)
	require.Contains(t, out[5], `"values":{"x":3}`)
	for rest, want := range map[string]string{
		`"bind":{"x":"A0"}`:                 `is no simulated channel, and runners`,
		`"bind":{"z":"sim:loop"}`:           `the program has no input \"z\"","hint":"its inputs are x"`,
		`"bind":{"x":"sim:sine"}`:           `nothing says how often`,
		`"bind":{"x":"sim:plant=p"}`:        `no programs can be compiled here`,
		`"bind":{"x":"sim:sine"},"rate":-1`: `rate is -1`,
	} {
		require.Contains(t, serve(t, opt, load(rest))[0], want, rest)
	}
}
