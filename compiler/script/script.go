// Package script runs programs in Python syntax that compute on a target: the
// interpreter of package vm with the modules `copapy` and `math`.
//
//	err := script.Run(ctx, "prog.py", script.Options{Stdout: os.Stdout, Open: openDevice})
//	var e *vm.Error // what went wrong, where, and what to do
//	errors.As(err, &e)
package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/compiler/script/python/files"
	"github.com/copaflash/copaflash/compiler/script/python/mathmod"
	"github.com/copaflash/copaflash/compiler/script/python/pylib"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Options say what a script may use.
type Options struct {
	Stdout   io.Writer                                        // what the script prints; nil discards it
	Open     func(ctx context.Context) (device.Device, error) // the device that programs run on
	Compiled func(*copapy.Stats)                              // told of each program; may be nil
	Warn     func(text string)                                // told what does not end the script; may be nil
	Compiler compiler.Options                                 // architecture and features come from the device
	Limits   vm.Limits                                        // zero: vm.DefaultLimits
	Args     []string                                         // sys.argv after the script's name
	Out      string                                           // the folder below which the script may write files; "": it writes none
	Stderr   io.Writer                                        // sys.stderr; nil discards it
	Bind     *bind.Set                                        // of variables of its programs; may be nil
	Plant    func(file string) (*compiler.Program, error)     // compiles plants that the script binds to, whose files are beside it; nil: there are none
}

// absolute is __file__ of a source: names made of it are found wherever the script is run from.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return filepath.ToSlash(abs)
	}
	return name
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
	text, err := readAll(file, r)
	if err != nil {
		return err
	}
	return runText(ctx, file, text, opt)
}

// readAll reads a source that is called file.
func readAll(file string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("script: %w", err)
	case len(text) > maxSource:
		return nil, fmt.Errorf("script: %s is longer than %d bytes", file, maxSource)
	}
	return text, nil
}

func runText(ctx context.Context, file string, text []byte, opt Options) error {
	dir := filepath.Dir(file)
	folder := files.New(dir, opt.Out)
	defer folder.Close()
	modules := copapy.Modules(copapy.Options{Open: opt.Open, Compiled: opt.Compiled, Warn: opt.Warn, Compiler: opt.Compiler, Read: folder.Read,
		Bind: opt.Bind, Plant: beside(dir, opt.Plant)})
	modules["math"] = mathmod.Module
	library := pylib.Options{Args: append([]string{file}, opt.Args...), Files: folder, Stderr: opt.Stderr}
	t := vm.NewThread(vm.Options{
		Stdout:   opt.Stdout,
		Context:  ctx,
		Limits:   opt.Limits,
		Load:     loader(dir, folder),
		Modules:  modules,
		Library:  pylib.Modules(library),
		Builtins: pylib.Builtins(library),
		Advice:   copapy.Advice,
		FileName: absolute,
	})
	_, err := t.Run(file, text)
	return err
}

// beside finds files in the folder of the script.
func beside(dir string, plant func(string) (*compiler.Program, error)) func(string) (*compiler.Program, error) {
	if plant == nil {
		return nil
	}
	return func(file string) (*compiler.Program, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, filepath.FromSlash(file))
		}
		return plant(file)
	}
}

// readSource reads the script that the user names, which may be a pipe.
func readSource(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("script: %s is a folder, not a script", file)
	}
	return readAll(file, f)
}

// loader finds modules in the folder of the script: name/__init__.py, or name.py.
func loader(dir string, folder *files.Folder) vm.Loader {
	return func(module string) (string, []byte, error) {
		// A name from an import statement has no path elements of its own.
		rel := strings.ReplaceAll(module, ".", "/")
		for _, p := range []string{rel + "/__init__.py", rel + ".py"} {
			text, err := folder.Read(p, maxSource)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			}
			return filepath.Join(dir, filepath.FromSlash(p)), text, err
		}
		return "", nil, fmt.Errorf("no module %q in %s: %w", module, dir, fs.ErrNotExist)
	}
}
