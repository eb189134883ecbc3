package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/firmware/build/runner"
)

// An entry says where an image came from. Digests are SHA-256 in hexadecimal.
type entry struct {
	Compiler string `json:"compiler"` // first line of its --version
	Sources  string `json:"sources"`  // of flags, names and contents
	Image    string `json:"image"`
}

// A manifest has an entry for each image file.
type manifest map[string]entry

const manifestName = "manifest.json"

func readManifest(root string) (manifest, error) {
	text, err := os.ReadFile(imagePath(root, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := manifest{}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}

func (m manifest) write(root string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(imagePath(root, manifestName), append(text, '\n'), 0o644)
}

// compare tells how a fresh build differs from the committed one.
func (m manifest) compare(file string, fresh entry) error {
	committed, ok := m[file]
	switch {
	case !ok:
		return fmt.Errorf("%s is not in %s: run `make firmware` and commit", file, manifestName)
	case committed.Sources != fresh.Sources:
		return fmt.Errorf("%s is older than its sources: run `make firmware` and commit", file)
	case committed.Compiler != fresh.Compiler:
		return fmt.Errorf("%s was built by %q, this is %q: images cannot be compared", file, committed.Compiler, fresh.Compiler)
	case committed.Image != fresh.Image:
		return fmt.Errorf("%s differs from a fresh build of the same sources by the same compiler", file)
	}
	return nil
}

// sourceDigest covers everything that determines an image beside the compiler.
func sourceDigest(root string, t *runner.Target) (string, error) {
	compiled, included, err := runner.Sources(root, t)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, strings.Join(slices.Concat(t.Flags, t.Tools.Libraries), " "))
	for _, name := range slices.Concat(compiled, included) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, name, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
