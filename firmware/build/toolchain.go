package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A toolchain is arch.json of a folder: how the architectures whose code is there
// are compiled, and what their runners may take.
type toolchain struct {
	Compiler  string   `json:"compiler"`
	Package   string   `json:"package"` // of Debian, that has it
	Flags     []option `json:"flags"`   // of compiler and linker, for all of them
	Libraries []string `json:"libraries"`

	// By name, as in board.json. A runner for Linux has none: its folder is one.
	Architectures map[string]*architecture `json:"architectures"`

	// Flags of chips whose core differs from the least of its architecture
	// where a runner sees it.
	Chips map[string][]option `json:"chips"`
}

type architecture struct {
	Flags    []option `json:"flags"`
	Services bool     `json:"services"` // programs need routines of the runner, see firmware/services
	Budget   budget   `json:"budget"`
}

type option struct {
	Flag string `json:"flag"`
	Why  string `json:"why"`
}

const toolchainName = "arch.json"

func parseToolchain(text []byte) (*toolchain, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var t toolchain
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	if t.Compiler == "" || t.Package == "" {
		return nil, fmt.Errorf("want compiler and package")
	}
	flags := slices.Clone(t.Flags)
	for _, chip := range t.Chips {
		flags = append(flags, chip...)
	}
	for name, a := range t.Architectures {
		if a.Budget.Flash == 0 || a.Budget.Variables == 0 {
			return nil, fmt.Errorf("no budget for %s", name)
		}
		flags = append(flags, a.Flags...)
	}
	for _, f := range flags {
		if f.Flag == "" || f.Why == "" {
			return nil, fmt.Errorf("flag %q: want what it is and why", f.Flag)
		}
	}
	return &t, nil
}

// readToolchains reads what the folders in `parent` have, by folder.
func readToolchains(root, parent string) (map[string]*toolchain, error) {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(parent), "*", toolchainName))
	if err != nil {
		return nil, err
	}
	all := map[string]*toolchain{}
	for _, name := range found {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t, err := parseToolchain(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[parent+"/"+filepath.Base(filepath.Dir(name))] = t
	}
	return all, nil
}

func words(flags []option) []string {
	list := make([]string, len(flags))
	for i, f := range flags {
		list[i] = f.Flag
	}
	return list
}
