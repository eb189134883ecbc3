package hil_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/stencils"
)

// A place is a target that can be tested without hardware.
type place struct {
	name   string
	needs  string // program, empty: none
	graphs int    // random graphs to run there
	small  bool   // some programs may not fit
	tiny   bool   // only short programs fit
	other  bool   // a board of an architecture that another board stands for
}

// hostPlaces run on this machine's system.
func hostPlaces(t *testing.T) []place {
	t.Helper()
	list := []place{
		{name: "local", graphs: 2000},
		{name: "user:aarch64", needs: target.UserEmulator("aarch64"), graphs: 2000},
	}
	const x86 = "x86_32"
	dev, err := target.Open(t.Context(), "local:"+x86, target.Options{})
	if errors.Is(err, local.ErrUnsupported) {
		t.Logf("EMULATED: the local target of %s runs under %s, not natively: %v", x86, target.UserEmulator(x86), err)
		return append(list, place{name: "user:" + x86, needs: target.UserEmulator(x86), graphs: 300})
	}
	require.NoError(t, err)
	dev.Close()
	return append(list, place{name: "local:" + x86, graphs: 300})
}

// How many random graphs a board runs: the first one of an architecture stands
// for its code, the others for themselves. Short programs are quick to send.
const (
	graphsOfFirst = 60
	graphsOfOther = 10
)

// A board with less memory than smallRAM need not hold every example; one with less
// than tinyRAM is given short programs: a call of pow alone may be more than it holds. In bytes.
const (
	smallRAM = 1 << 20
	tinyRAM  = 64 << 10
)

// allPlaces are those of the host and every emulated board for whose
// architecture there is a stencil library.
func allPlaces(t *testing.T) []place {
	t.Helper()
	all, err := boards.All()
	require.NoError(t, err)
	archs := stencils.Archs()
	seen := map[string]bool{}
	list := hostPlaces(t)
	for _, b := range all {
		if b.QEMU == nil {
			continue
		}
		if !slices.Contains(archs, b.Arch) {
			t.Logf("%s: nothing to run, there is no stencil library for %s", b.Name, b.Arch)
			continue
		}
		p := place{"qemu:" + b.Name, b.QEMU.Binary, graphsOfFirst, b.RAM < smallRAM, b.RAM < tinyRAM, seen[b.Arch]}
		if seen[b.Arch] && !p.tiny {
			p.graphs = graphsOfOther
		}
		seen[b.Arch] = true
		list = append(list, p)
	}
	return list
}
