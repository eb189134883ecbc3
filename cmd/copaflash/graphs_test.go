package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
)

// The graph file of every example computes what the example's program does, in
// both forms.
func TestExportedExamples(t *testing.T) {
	expected, err := filepath.Glob("../../examples/*.out")
	require.NoError(t, err)
	require.NotEmpty(t, expected)
	for _, f := range expected {
		script := strings.TrimSuffix(f, ".out") + ".py"
		t.Run(filepath.Base(script), func(t *testing.T) {
			p, err := compileScript(t.Context(), script, 1, compiler.Options{Arch: "x86_64"}, &scriptHost{})
			require.NoError(t, err)
			file, err := p.File()
			require.NoError(t, err)
			require.Len(t, file.Outputs, len(p.Outputs))
			ids := make([]graph.ID, len(p.Outputs))
			for i, o := range p.Outputs {
				ids[i] = o.Value.ID()
			}
			want, _, _, err := eval.Runs(p.Graph, ids, nil, 3)
			require.NoError(t, err)
			for end, form := range graphForms {
				data, err := form(file)
				require.NoError(t, err)
				again, err := graphfile.Decode(data)
				require.NoError(t, err)
				for i, o := range again.Outputs {
					ids[i] = o.Node
				}
				got, _, _, err := eval.Runs(again.Graph, ids, nil, 3)
				require.NoError(t, err)
				require.Equal(t, want, got, end)
				t.Logf("%s: %d nodes, %d bytes", end, again.Graph.NumNodes(), len(data))
			}
		})
	}
}
