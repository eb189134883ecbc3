package main

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/internal/extent"
)

// Needs no compiler: whoever edits a source without building is told.
func TestImagesAreNewerThanSources(t *testing.T) {
	root, committed := state(t)
	all, err := runner.Targets(root)
	require.NoError(t, err)
	require.Len(t, committed, len(all), "images in the manifest")
	for _, target := range all {
		image, err := os.ReadFile(imagePath(root, target.Image))
		require.NoError(t, err)
		digest, err := sourceDigest(root, &target)
		require.NoError(t, err)
		require.Equal(t, committed[target.Image].Image, sum(image), "%s differs from its manifest entry", target.Image)
		require.Equal(t, committed[target.Image].Sources, digest, "%s is older than its sources: run `make firmware`", target.Image)
	}
}

// One image of each compiler: `make check-generated`, which is part of `make test`, builds
// them all. So does this test where everything is to be tried.
func TestBuildIsReproducible(t *testing.T) {
	root, committed := state(t)
	all, err := runner.Targets(root)
	require.NoError(t, err)
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(t runner.Target) bool {
		known := seen[t.Tools.Compiler]
		seen[t.Tools.Compiler] = true
		return known && !extent.All()
	})
	require.GreaterOrEqual(t, len(all), 4, "compilers")
	for _, target := range all {
		tools := target.Tools
		if _, err := exec.LookPath(tools.Compiler); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
			t.Skipf("%s is not installed (Debian: %s)", tools.Compiler, tools.Package)
		}
	}
	for i, b := range buildAll(root, all) {
		require.NoError(t, b.err)
		require.NoError(t, committed.compare(all[i].Image, b.entry))
	}
}

func TestCompare(t *testing.T) {
	good := entry{Compiler: "gcc 12", Sources: "s", Image: "i"}
	m := manifest{"a.elf": good}
	tests := []struct {
		name, file, want string
		fresh            entry
	}{
		{name: "equal", file: "a.elf", fresh: good},
		{name: "unknown", file: "b.elf", fresh: good, want: "b.elf is not in manifest.json"},
		{name: "sources", file: "a.elf", fresh: entry{"gcc 12", "t", "j"}, want: "older than its sources"},
		{name: "compiler", file: "a.elf", fresh: entry{"gcc 13", "s", "j"}, want: `built by "gcc 12", this is "gcc 13"`},
		{name: "image", file: "a.elf", fresh: entry{"gcc 12", "s", "j"}, want: "differs from a fresh build"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := m.compare(tt.file, tt.fresh)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestUnknownBoard(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	require.EqualError(t, run(root, true, []string{"nosuch"}), `no board "nosuch"`)
}

func state(t *testing.T) (string, manifest) {
	t.Helper()
	root, err := moduleRoot()
	require.NoError(t, err)
	m, err := readManifest(root)
	require.NoError(t, err)
	return root, m
}
