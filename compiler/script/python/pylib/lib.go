// Package pylib holds the modules of Python's library that scripts can import. Most are written
// in Python and run by package vm; lib/ has their sources, which are parsed at the first
// import. Code that needs speed or the host is written in Go, in modules whose names begin with
// an underscore, which only the library can import.
package pylib

import (
	"embed"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/files"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

//go:embed lib/*.py
var sources embed.FS

// Options are what of the host scripts see.
type Options struct {
	Args   []string      // sys.argv
	Files  *files.Folder // nil: no files
	Stderr io.Writer     // nil discards
}

// native are the modules written in Go.
var native = map[string]func(*host, *vm.Thread) (*vm.Module, error){
	"_lang": (*host).lang, "_collections": (*host).collections, "_random": (*host).random, "_time": (*host).time,
	"_sys": (*host).sys, "_json": (*host).json, "_csv": (*host).csv, "_files": (*host).files,
}

// host is what the modules of one run share.
type host struct {
	Options
}

func init() {
	fileClass.Define(fileTable)
	csvClass.Define(csvTable)
}

// Modules returns the library, for vm.Options.Library.
func Modules(o Options) map[string]vm.ModuleFunc {
	h := &host{Options: o}
	if h.Files == nil {
		h.Files = files.New("", "")
	}
	all := map[string]vm.ModuleFunc{}
	for name, makeModule := range native {
		all[name] = func(t *vm.Thread) (*vm.Module, error) { return makeModule(h, t) }
	}
	for _, name := range Names() {
		if file := "lib/" + strings.ReplaceAll(name, ".", "_") + ".py"; exists(file) {
			all[name] = func(t *vm.Thread) (*vm.Module, error) {
				text, err := sources.ReadFile(file)
				if err != nil {
					return nil, err
				}
				m, err := t.Library(name, string(text))
				if err == nil {
					m.SetAbsent(func(attr string) string { return whyLeftOut(name, attr) })
				}
				return m, err
			}
		}
	}
	return all
}

// Builtins are the builtin functions that need the host: open.
func Builtins(o Options) map[string]vm.Value {
	h := &host{Options: o}
	if h.Files == nil {
		h.Files = files.New("", "")
	}
	return map[string]vm.Value{"open": vm.NewBuiltin("open", h.open)}
}

// submodules are those whose names have a dot, by the name of their source.
var submodules = map[string]string{"collections_abc": "collections.abc", "os_path": "os.path"}

// Names returns the names of the modules that scripts can import, in order.
func Names() []string {
	found := map[string]bool{}
	entries, _ := sources.ReadDir("lib") // embedded: it is there
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".py")
		if dotted := submodules[name]; dotted != "" {
			name = dotted
		}
		found[name] = true
	}
	for name := range native {
		if name[0] != '_' {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func exists(file string) bool {
	f, err := sources.Open(file)
	if err != nil {
		return false
	}
	return f.Close() == nil
}
