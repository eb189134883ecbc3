package array

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name that two rows define is found at the start of the first script, not by the one
// who wonders why the other definition is never called.
func TestNamesAreDefinedOnce(t *testing.T) {
	rows := []Row{{Name: "round"}, {Name: "round", Is: Method}, {Name: "floor", Is: Both}, {Name: "zero", Is: Maker}, {Name: "list", Is: Constructor}}
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
	require.Equal(t, []string{"list"}, names(Constructor))
	rows = append(rows, Row{Name: "round", Is: Both})
	require.PanicsWithValue(t, "copapy: two definitions of round", func() { new(Tracer).Functions(rows) })
	require.PanicsWithValue(t, "copapy: two definitions of round", func() { new(Tracer).Methods(rows) })
}
