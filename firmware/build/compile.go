package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// sources lists the files a target is made of, relative to the module's root and
// with slashes: what is compiled, and what that includes. The order is fixed.
func sources(root string, t *target) (compiled, included []string, err error) {
	included = slices.Clone(t.headers)
	for _, folder := range t.folders {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			name := folder + "/" + e.Name()
			switch filepath.Ext(name) {
			case ".c", ".S":
				compiled = append(compiled, name)
			case ".h", ".ld":
				included = append(included, name)
			}
		}
	}
	slices.Sort(compiled)
	slices.Sort(included)
	return compiled, included, nil
}

// build compiles and links one target.
func build(root string, t *target) ([]byte, entry, error) {
	tools := t.tools
	if _, err := exec.LookPath(tools.Compiler); err != nil {
		return nil, entry{}, fmt.Errorf("%w; Debian has it in %s", err, tools.Package)
	}
	compiled, _, err := sources(root, t)
	if err != nil {
		return nil, entry{}, err
	}
	dir, err := os.MkdirTemp("", "runner-")
	if err != nil {
		return nil, entry{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, t.image)
	args := slices.Concat(t.flags, []string{"-o", out}, compiled, tools.Libraries)
	cmd := exec.Command(tools.Compiler, args...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, entry{}, fmt.Errorf("%s: %w\n%s", tools.Compiler, err, text)
	}
	image, err := os.ReadFile(out)
	if err != nil {
		return nil, entry{}, err
	}
	version, err := exec.Command(tools.Compiler, "--version").Output()
	if err != nil {
		return nil, entry{}, err
	}
	line, _, _ := bytes.Cut(version, []byte("\n"))
	digest, err := sourceDigest(root, t)
	if err != nil {
		return nil, entry{}, err
	}
	return image, entry{Compiler: string(line), Sources: digest, Image: sum(image)}, nil
}
