package graphfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const withLoop = `{"format":"copaflash-graph","version":1,
"loops":[
{"turns":48,"carries":1,"slices":1,"nodes":[
{"op":"param","type":"i32","param":0},
{"op":"param","type":"f32","param":1},
{"op":"param","type":"f32","param":2},
{"op":"mul","type":"f32","args":[1,2]}
],"results":[3,1]}
],
"nodes":[
{"op":"input","type":"f32","name":"x","value":1},
{"op":"input","type":"f32","shape":[48],"name":"v"},
{"op":"scan","type":"f32","args":[0,1],"loop":0,"result":0},
{"op":"scan","type":"f32","shape":[48],"args":[0,1],"loop":0,"result":1}
],
"outputs":[
{"name":"last","node":2},
{"name":"all","node":3}
]}
`

func TestLoops(t *testing.T) {
	f, err := Decode([]byte(withLoop))
	require.NoError(t, err)
	_, text := roundTrip(t, f)
	require.Equal(t, withLoop, string(text))
}

func TestLoopsRefused(t *testing.T) {
	for message, change := range map[string][2]string{
		"loop 0: a loop of 0 iterations":                 {`"turns":48`, `"turns":0`},
		"3 carries":                                      {`"carries":1`, `"carries":3`},
		"loop 0: a loop with 1 carries, 2 slices":        {`"slices":1`, `"slices":2`},
		"9 slices":                                       {`"slices":1`, `"slices":9`},
		"result 1: there is no node 9 in the body":       {`"results":[3,1]`, `"results":[3,9]`},
		"carry 0 is f32 and becomes i32":                 {`"results":[3,1]`, `"results":[0,1]`},
		"param 2 comes where param 1 is due":             {`"param":1`, `"param":2`},
		"param 0 of the body is the iteration":           {`"type":"i32"`, `"type":"f32"`},
		"the body of a loop has an input of its own":     {`{"op":"mul","type":"f32","args":[1,2]}`, `{"op":"input","type":"f32","value":1}`},
		"loop 0 is not before it":                        {`{"op":"mul","type":"f32","args":[1,2]}`, `{"op":"scan","type":"f32","args":[1],"loop":0,"result":0}`},
		"node 2 (scan): loop 1 is not before it":         {`"loop":0,"result":0`, `"loop":1,"result":0`},
		"node 3 (scan): the loop has no result 7":        {`"loop":0,"result":1`, `"loop":0,"result":7`},
		"node 2 (scan): 1 operands, the loop takes 2":    {`"args":[0,1],"loop":0,"result":0`, `"args":[0],"loop":0,"result":0`},
		"the loop takes f32 of shape (48,)":              {`"shape":[48],"name":"v"`, `"shape":[47],"name":"v"`},
		"gives f32 of shape (48,), not f32 of shape (47": {`"type":"f32","shape":[48],"args"`, `"type":"f32","shape":[47],"args"`},
		"only the body of a loop has params":             {`{"op":"input","type":"f32","name":"x","value":1}`, `{"op":"param","type":"f32","param":0}`},
		"a param has a number":                           {`"param":1}`, `"param":1,"name":"p"}`},
		"needs the attributes":                           {`,"result":0`, ``},
		`unknown key "rounds"`:                           {`"turns"`, `"rounds"`},
		"the body has no nodes":                          {withLoop[strings.Index(withLoop, `"carries":1`):strings.Index(withLoop, `,"results":[3,1]`)], `"nodes":[]`},
	} {
		text := strings.Replace(withLoop, change[0], change[1], 1)
		if message == "the body has no nodes" {
			text = strings.Replace(text, "[3,1]", "[]", 1)
		}
		require.NotEqual(t, withLoop, text, message)
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, message)
	}
	nodes := strings.Index(withLoop, `"nodes":[`+"\n"+`{"op":"input"`)
	loops := strings.Index(withLoop, `"loops"`)
	outputs := strings.Index(withLoop, `"outputs"`)
	swapped := withLoop[:loops] + withLoop[nodes:outputs] + withLoop[loops:nodes] + withLoop[outputs:]
	_, err := Decode([]byte(swapped))
	require.ErrorContains(t, err, "loop 0 is not before it: 0 loops are known here")
}

// Loops in the bodies of loops can make a small file stand for a huge program: it
// is refused, in no time.
func TestNestedLoopsAreBounded(t *testing.T) {
	const body = `{"turns":2,"carries":1,"nodes":[{"op":"param","type":"i32","param":0},{"op":"param","type":"f32","param":1}`
	deep := func(depth, wide int) string {
		text := `{"format":"copaflash-graph","version":1,"loops":[` + body + `,{"op":"sin","type":"f32","args":[1]}],"results":[2]}`
		for k := range depth {
			text += "," + body
			for i := range wide {
				text += fmt.Sprintf(`,{"op":"scan","type":"f32","args":[%d],"loop":%d,"result":0}`, 1+i, k)
			}
			text += `],"results":[2]}`
		}
		return text + `],"nodes":[{"op":"const","type":"f32","value":1}],"outputs":[{"name":"y","node":0}]}`
	}
	_, err := Decode([]byte(deep(3, 1)))
	require.NoError(t, err)
	_, err = Decode([]byte(deep(9, 200)))
	require.ErrorContains(t, err, "graph too large: at most 16777216 nodes")
	_, err = Decode([]byte(deep(20, 1)))
	require.ErrorContains(t, err, "loops are nested more than 16 deep")
}
