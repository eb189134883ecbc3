// Package runner compiles the runner of a board, or the one for Linux, from its sources.
package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sources lists the files a target is made of, relative to the module's root and
// with slashes: what is compiled, and what that includes. The order is fixed.
func Sources(root string, t *Target) (compiled, included []string, err error) {
	included = slices.Clone(t.Headers)
	for _, folder := range t.Folders {
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

// A MissingError says that a compiler is not installed.
type MissingError struct {
	Tool    string
	Package string // of Debian, that has it
	Err     error
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed (%v); on Debian: apt install %s", e.Tool, e.Err, e.Package)
}

func (e *MissingError) Unwrap() error { return e.Err }

// Build compiles and links one target, whose sources are below root, with more flags and files behind its own. It
// returns the image, what the compiler said, and the first line of its --version.
func Build(ctx context.Context, root string, t *Target, more ...string) (image []byte, said, version string, err error) {
	tools := t.Tools
	if _, err := exec.LookPath(tools.Compiler); err != nil {
		return nil, "", "", &MissingError{tools.Compiler, tools.Package, err}
	}
	compiled, _, err := Sources(root, t)
	if err != nil {
		return nil, "", "", err
	}
	dir, err := os.MkdirTemp("", "runner-")
	if err != nil {
		return nil, "", "", err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, t.Image)
	args := slices.Concat(t.Flags, []string{"-o", out}, compiled, more, tools.Libraries)
	cmd := exec.CommandContext(ctx, tools.Compiler, args...)
	cmd.Dir = root
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, string(text), "", fmt.Errorf("%s: %w", tools.Compiler, err)
	}
	if image, err = os.ReadFile(out); err != nil {
		return nil, "", "", err
	}
	first, err := exec.CommandContext(ctx, tools.Compiler, "--version").Output()
	if err != nil {
		return nil, "", "", err
	}
	version, _, _ = strings.Cut(string(first), "\n")
	return image, string(text), version, nil
}
