// Package script runs programs in Python syntax that compute on a target: the
// interpreter of package vm with the modules `copapy` and `math`.
//
//	err := script.Run(ctx, "prog.py", script.Options{Stdout: os.Stdout, Open: openDevice})
//	var e *vm.Error // what went wrong, where, and what to do
//	errors.As(err, &e)
package script

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/compiler/script/files"
	"github.com/copaflash/copaflash/compiler/script/pymath"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// Options say what a script may use.
type Options struct {
	Stdout   io.Writer                                        // what the script prints; nil discards it
	Open     func(ctx context.Context) (copapy.Device, error) // the device that programs run on
	Compiled func(*copapy.Stats)                              // told of each program; may be nil
	Warn     func(text string)                                // told what does not end the script; may be nil
	Compiler compiler.Options                                 // architecture and features come from the device
	Limits   vm.Limits                                        // zero: vm.DefaultLimits
}

// maxSource bounds the length of a source file, in bytes.
const maxSource = 16 << 20

// Run runs a script file. Modules that it imports by name are looked up in its
// folder. An error of the script is a *vm.Error.
func Run(ctx context.Context, file string, opt Options) error {
	text, err := readSource(file)
	if err != nil {
		return err
	}
	return runText(ctx, file, text, opt)
}

// RunReader runs a script that is read to its end, under the name of file. Modules are
// looked up in the folder of that, which for a mere name is the working folder.
func RunReader(ctx context.Context, file string, r io.Reader, opt Options) error {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	switch {
	case err != nil:
		return fmt.Errorf("script: %w", err)
	case len(text) > maxSource:
		return fmt.Errorf("script: %s is longer than %d bytes", file, maxSource)
	}
	return runText(ctx, file, text, opt)
}

func runText(ctx context.Context, file string, text []byte, opt Options) error {
	folder := files.New(filepath.Dir(file), "")
	defer folder.Close()
	modules := copapy.Modules(copapy.Options{Open: opt.Open, Compiled: opt.Compiled, Warn: opt.Warn, Compiler: opt.Compiler, Read: folder.Read})
	modules["math"] = pymath.Module
	t := vm.NewThread(vm.Options{
		Stdout:  opt.Stdout,
		Context: ctx,
		Limits:  opt.Limits,
		Load:    loader(filepath.Dir(file)),
		Modules: modules,
		Advice:  copapy.Advice,
	})
	_, err := t.Run(file, text)
	return err
}

func readSource(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("script: %s is a folder, not a script", file)
	}
	if info.Size() > maxSource {
		return nil, fmt.Errorf("script: %s is longer than %d bytes", file, maxSource)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return text, nil
}

// loader finds modules in the folder of the script: name.py, or name/__init__.py.
func loader(dir string) vm.Loader {
	return func(module string) (string, []byte, error) {
		// A name from an import statement has no path elements of its own.
		rel := filepath.FromSlash(strings.ReplaceAll(module, ".", "/"))
		for _, p := range []string{rel + ".py", filepath.Join(rel, "__init__.py")} {
			p = filepath.Join(dir, p)
			if _, err := os.Stat(p); err != nil {
				continue
			}
			text, err := readSource(p)
			return p, text, err
		}
		return "", nil, fmt.Errorf("no module %q in %s: %w", module, dir, fs.ErrNotExist)
	}
}
