package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/release"
)

// TestPack builds a release for one system and looks into it.
func TestPack(t *testing.T) {
	t.Chdir("../../..")
	out := t.TempDir()
	require.NoError(t, pack(out, []string{"linux/amd64"}))
	name := "copaflash-" + release.Version + "-linux-amd64"

	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	require.NoError(t, err)
	contents := map[string][]byte{}
	for _, f := range []string{name + ".tar.gz", name + ".cdx.json"} {
		data, err := os.ReadFile(filepath.Join(out, f))
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		require.Contains(t, string(sums), hex.EncodeToString(sum[:])+"  "+f+"\n")
		contents[f] = data
	}

	z, err := gzip.NewReader(bytes.NewReader(contents[name+".tar.gz"]))
	require.NoError(t, err)
	found := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		found[strings.TrimPrefix(h.Name, name+"/")] = string(data)
	}
	require.True(t, strings.HasPrefix(found["copaflash"], "\x7fELF"))
	for _, d := range documents {
		require.NotEmpty(t, found[d], d)
	}

	var bom struct {
		Components []struct{ Name, Version string }
	}
	require.NoError(t, json.Unmarshal(contents[name+".cdx.json"], &bom))
	require.Greater(t, len(bom.Components), 5)
	for _, c := range bom.Components {
		require.Contains(t, found["NOTICES.txt"], c.Name+" "+c.Version)
	}
	require.Contains(t, found["NOTICES.txt"], "Redistributions in binary form must reproduce")
}

func TestNoSystem(t *testing.T) {
	require.ErrorContains(t, pack(t.TempDir(), nil), "name systems")
	require.ErrorContains(t, pack(t.TempDir(), []string{"linux"}), "written as linux/amd64")
}
