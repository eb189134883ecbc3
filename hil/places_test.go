package hil_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/stencils"
)

// A place is a target that can be tested without hardware.
type place struct {
	name   string
	needs  string       // program, empty: none
	qemu   *boards.QEMU // that emulates the board, nil: it is none
	graphs int          // random graphs to run there in test-all; a third of them otherwise
	small  bool         // some programs may not fit
	tiny   bool         // only short programs fit
	other  bool         // a board of a class that another board stands for
}

// hostPlaces run on this machine's system.
func hostPlaces(t *testing.T) []place {
	t.Helper()
	list := []place{
		{name: target.LocalName, graphs: 2000},
		{name: target.SandboxName, graphs: 2000},
		{name: "user:aarch64", needs: target.UserEmulator("aarch64"), graphs: 600},
		{name: "user:armv7a", needs: target.UserEmulator("armv7a"), graphs: 100},
	}
	const x86 = "x86_32"
	dev, err := target.OpenRunner(t.Context(), "local:"+x86, target.Options{})
	if errors.Is(err, local.ErrUnsupported) {
		t.Logf("EMULATED: the local target of %s runs under %s, not natively: %v", x86, target.UserEmulator(x86), err)
		return append(list, place{name: "user:" + x86, needs: target.UserEmulator(x86), graphs: 300})
	}
	require.NoError(t, err)
	dev.Close()
	return append(list, place{name: "local:" + x86, graphs: 300})
}

// How many random graphs a board runs: one of a class stands for the class's code, the
// others for themselves. Short programs are quick to send.
const (
	graphsOfClass = 60
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
	first := firstOfClass(t)
	list := hostPlaces(t)
	for _, b := range emulatedBoards(t) {
		p := place{
			name: "qemu:" + b.Name, qemu: b.QEMU, graphs: graphsOfClass,
			small: b.RAM < smallRAM, tiny: b.RAM < tinyRAM, other: first[classOf(t, b)] != b.Name,
		}
		if p.other && !p.tiny {
			p.graphs = graphsOfOther
		}
		list = append(list, p)
	}
	return list
}

// classPlaces are those of the host and a board of each class: where code is tested in
// full. With COPAFLASH_TEST_ALL they are all places.
func classPlaces(t *testing.T) []place {
	t.Helper()
	all := allPlaces(t)
	places := extent.Of(slices.DeleteFunc(slices.Clone(all), func(p place) bool { return p.other }), all)
	require.NotEmpty(t, places)
	return places
}

// A class is what boards have in common as far as their programs go.
type class struct {
	arch   string
	floats string // in hardware: none, single or double
}

func (c class) String() string { return c.arch + ", floats in hardware: " + c.floats }

// classOf takes a board's floats from what its processor has.
func classOf(t *testing.T, b boards.Board) class {
	t.Helper()
	for text, floats := range map[string]string{"none": "none", "single precision": "single", "single and double precision": "double"} {
		if b.FPU == text || strings.HasSuffix(b.FPU, ", "+text) {
			return class{b.Arch, floats}
		}
	}
	require.Fail(t, "no class of floats", "%s: %q", b.Name, b.FPU)
	return class{}
}

// firstOfClass names the emulated board that stands for each class: the one with most
// memory, so that little is left out for want of room.
func firstOfClass(t *testing.T) map[class]string {
	t.Helper()
	first, most := map[class]string{}, map[class]uint64{}
	for _, b := range emulatedBoards(t) {
		if c := classOf(t, b); b.RAM > most[c] {
			first[c], most[c] = b.Name, b.RAM
		}
	}
	return first
}

// emulatedBoards are those whose programs there is a stencil library for.
func emulatedBoards(t *testing.T) []boards.Board {
	t.Helper()
	all, err := boards.All()
	require.NoError(t, err)
	archs := stencils.Archs()
	return slices.DeleteFunc(all, func(b boards.Board) bool {
		if b.QEMU != nil && !slices.Contains(archs, b.Arch) {
			t.Logf("%s: nothing to run, there is no stencil library for %s", b.Name, b.Arch)
			return true
		}
		return b.QEMU == nil
	})
}

// TestClasses holds that what is tested in full is a place of every class of boards and of
// every architecture, whatever else is left to test-all.
func TestClasses(t *testing.T) {
	tested, archs := map[class]string{}, map[string]bool{target.HostArch(): true}
	places := classPlaces(t)
	for _, p := range places {
		kind, name, _ := strings.Cut(p.name, ":")
		switch kind {
		case "qemu":
			b, err := boards.Find(name)
			require.NoError(t, err)
			tested[classOf(t, b)] = b.Name
			archs[b.Arch] = true
		case "user", "local":
			if name != "" && p.name != target.SandboxName {
				archs[name] = true
			}
		}
	}
	for _, arch := range stencils.Archs() {
		assert.True(t, archs[arch], "no place tests %s in full", arch)
	}
	all, err := boards.All()
	require.NoError(t, err)
	floats := map[string]bool{}
	for _, b := range all {
		c := classOf(t, b)
		floats[c.floats] = true
		assert.NotEmpty(t, tested[c], "%s: no board of its class is tested in full (%s)", b.Name, c)
		assert.Equal(t, compiler.HasDoubles(b.Arch), c.floats == "double", "%s: its processor against its programs", b.Name)
	}
	assert.Len(t, floats, 3, "classes of floats")
	for c, name := range tested {
		t.Logf("%s: %s", c, name)
	}
	if extent.All() {
		assert.Len(t, places, len(allPlaces(t)))
	}
}
