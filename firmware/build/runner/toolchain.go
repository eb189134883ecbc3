package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Toolchain is arch.json of a folder: how the architectures whose code is there
// are compiled, and what their runners may take.
type Toolchain struct {
	Compiler  string   `json:"compiler"`
	Package   string   `json:"package"` // of Debian, that has it
	Flags     []Option `json:"flags"`   // of compiler and linker, for all of them
	Libraries []string `json:"libraries"`

	// By name, as in board.json. A runner for Linux has none: its folder is one.
	Architectures map[string]*Architecture `json:"architectures"`

	// Flags of chips whose core differs from the least of its architecture
	// where a runner sees it.
	Chips map[string][]Option `json:"chips"`

	// Budgets of chips that have far more RAM than others of their architecture.
	Budgets map[string]*Budget `json:"budgets"`
}

// budget is that of a chip.
func (t *Toolchain) budget(chip string, arch *Architecture) *Budget {
	if own, ok := t.Budgets[chip]; ok {
		return own
	}
	return &arch.Budget
}

// An Architecture is what differs from one to the next.
type Architecture struct {
	Flags    []Option `json:"flags"`
	Services bool     `json:"services"` // programs need routines of the runner, see firmware/services
	Budget   Budget   `json:"budget"`
}

// A Budget is what the runner of an architecture may take, in bytes: the figures of
// its largest board, rounded up. A change that needs more raises the number in the
// same commit, where it is seen.
type Budget struct {
	Code      uint64 `json:"code"`      // without constants; 0: no bound but flash
	Flash     uint64 `json:"flash"`     // code and constants, without what programs execute
	Store     uint64 `json:"store"`     // code for stored programs, where that has a section of its own
	Pins      uint64 `json:"pins"`      // code for lists for the pins, likewise
	USB       uint64 `json:"usb"`       // code and constants of the line over USB, likewise
	Variables uint64 `json:"variables"` // with buffers and stacks where sizes.go says so
}

// An Option is a flag, and the reason for it.
type Option struct {
	Flag string `json:"flag"`
	Why  string `json:"why"`
}

// ToolchainName is the file that says it.
const ToolchainName = "arch.json"

func parseToolchain(text []byte) (*Toolchain, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var t Toolchain
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
	for chip, b := range t.Budgets {
		if b.Flash == 0 || b.Variables == 0 {
			return nil, fmt.Errorf("no budget for %s", chip)
		}
	}
	for _, f := range flags {
		if f.Flag == "" || f.Why == "" {
			return nil, fmt.Errorf("flag %q: want what it is and why", f.Flag)
		}
	}
	return &t, nil
}

// ReadToolchains reads what the folders in `parent` have, by folder.
func ReadToolchains(root, parent string) (map[string]*Toolchain, error) {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(parent), "*", ToolchainName))
	if err != nil {
		return nil, err
	}
	all := map[string]*Toolchain{}
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

func words(flags []Option) []string {
	list := make([]string, len(flags))
	for i, f := range flags {
		list[i] = f.Flag
	}
	return list
}
