package copapy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestManualHasTheParameters: each row has one handler, and what the manual says of its parameters
// is what is taken.
func TestManualHasTheParameters(t *testing.T) {
	m := newModule(Options{}, vm.NewThread(vm.Options{}))
	checked := 0
	check := func(prefix string, kind array.Kind, rows []array.Row) {
		for name, r := range array.Table(kind, rows) {
			require.True(t, (r.Call == nil) != (r.Free == nil), "%s: one handler", name)
			if strings.HasPrefix(name, "__") {
				continue
			}
			params := strings.Fields(r.Params)
			if kind == array.Method {
				params = params[1:]
			}
			e := manual.Find(prefix + name)
			if !assert.NotNil(t, e, "%s%s has no entry: write one in compiler/script/copapy/manual", prefix, name) {
				continue
			}
			_, list, _ := strings.Cut(strings.TrimSuffix(e.Call, ")"), "(")
			var documented []string
			for p := range strings.SplitSeq(list, ", ") {
				if name, _, optional := strings.Cut(p, "="); optional {
					p = name + "?"
				}
				if p != "" {
					documented = append(documented, p)
				}
			}
			assert.Equal(t, strings.Join(params, " "), strings.Join(documented, " "), "parameters of %s%s", prefix, name)
			checked++
		}
	}
	check("", array.Function, m.table)
	check("", array.Constructor, m.table)
	check("", array.Constructor, m.ClassRows())
	check("", array.Constructor, m.quaternions.Rows())
	check("tensor.", array.Method, m.table)
	check("vector.", array.Method, m.VectorRows())
	check("quaternion.", array.Method, m.quaternions.Rows())
	check("quaternion.", array.Maker, m.quaternions.Rows())
	check("Target.", array.Method, targetRows)
	require.Greater(t, checked, 250)
}
