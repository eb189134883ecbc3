package copapy

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// A name that two rows define is found at the start of the first script, not by the one
// who wonders why the other definition is never called.
func TestNamesAreDefinedOnce(t *testing.T) {
	rows := []Row{{Name: "round"}, {Name: "round", Is: Method}, {Name: "floor", Is: Both}, {Name: "zero", Is: Maker}}
	names := func(kind Kind) (names []string) {
		for name := range Table(kind, rows) {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	require.Equal(t, []string{"floor", "round"}, names(Function))
	require.Equal(t, []string{"floor", "round"}, names(Method))
	require.Equal(t, []string{"zero"}, names(Maker))
	rows = append(rows, Row{Name: "round", Is: Both})
	require.PanicsWithValue(t, "copapy: two definitions of round", func() { Functions(rows) })
	require.PanicsWithValue(t, "copapy: two definitions of round", func() { Methods(rows) })
}

// TestManualHasTheParameters: each row has one handler, and what the manual says of its parameters
// is what is taken.
func TestManualHasTheParameters(t *testing.T) {
	m := newModule(Options{}, vm.NewThread(vm.Options{}))
	checked := 0
	check := func(prefix string, kind Kind, rows []Row) {
		for name, r := range Table(kind, rows) {
			require.True(t, (r.Call == nil) != (r.Free == nil), "%s: one handler", name)
			if strings.HasPrefix(name, "__") {
				continue
			}
			params := strings.Fields(r.Params)
			if kind == Method {
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
	check("", Function, m.rows())
	check("tensor.", Method, m.rows())
	check("vector.", Method, m.vectorRows())
	check("quaternion.", Method, m.quaternions.Rows())
	check("quaternion.", Maker, m.quaternions.Rows())
	check("Target.", Method, targetRows)
	require.Greater(t, checked, 250)
}
