package selftest

import (
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// onEveryLibrary runs a test for each library that this host can execute, on a
// processor without features beyond the base.
func onEveryLibrary(t *testing.T, test func(t *testing.T, b *bench)) {
	for _, lib := range libraries(t) {
		t.Run(lib.Arch, func(t *testing.T) {
			t.Parallel()
			onLibrary(t, lib, "", test)
		})
	}
}

// onEveryLevel runs a test for each library and each feature that its stencils may
// need, and for none.
func onEveryLevel(t *testing.T, test func(t *testing.T, b *bench)) {
	for _, lib := range libraries(t) {
		for _, feature := range append([]string{""}, lib.Features()...) {
			name := lib.Arch
			if feature != "" {
				name += "+" + feature
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				onLibrary(t, lib, feature, test)
			})
		}
	}
}

func libraries(t *testing.T) []*stencils.Library {
	var list []*stencils.Library
	for _, arch := range stencils.Archs() {
		lib, err := stencils.Load(arch)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, lib)
	}
	if len(list) == 0 {
		t.Fatal("no library")
	}
	return list
}

func onLibrary(t *testing.T, lib *stencils.Library, feature string, test func(t *testing.T, b *bench)) {
	m, err := newMachine(lib.Arch)
	if err != nil {
		t.Fatal(err)
	}
	m = m.withFeature(feature)
	if tool := m.Missing(); tool != "" && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		skipped.Store(true)
		t.Skipf("SKIP: %s is not installed, so the %s library is not executed", tool, lib.Arch)
	}
	h, err := start(m, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if h.refused {
		t.Logf("EMULATED: the %s library runs under %s, not natively: this kernel refuses its programs", lib.Arch, m.Emulator[0])
	}
	b := &bench{t: t, m: m, h: h, lib: lib, feature: feature, rng: rand.New(rand.NewSource(1))}
	for _, c := range []stencils.Class{stencils.Float, stencils.Double} {
		for r := range lib.Regs(c) {
			for _, n := range b.vectors(c, uint8(r)) {
				b.keptVec[n] = !m.soft()
				b.keptBeside[n] = b.keptBeside[n] || c == stencils.Double || r < b.floatsBesideDoubles()
			}
		}
	}
	for r := range lib.Regs(stencils.Int) {
		b.keptGPR[b.number(stencils.Int, uint8(r))] = true
	}
	b.keptGPR[m.Base] = true
	for _, n := range m.Saved {
		b.keptGPR[n] = true
	}
	test(t, b)
	if err := h.stop(); err != nil {
		t.Errorf("harness: %v", err)
	}
}

// stencils are those that the feature at hand brings.
func (b *bench) stencils() []*stencils.Stencil {
	return slices.DeleteFunc(slices.Clone(b.lib.Stencils()), func(s *stencils.Stencil) bool { return s.Feature != b.feature })
}
