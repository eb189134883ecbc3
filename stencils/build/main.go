// Command build makes the stencil libraries: it compiles the C sources of
// stencils/src for each architecture of stencils/arch, merges the compiler's
// output into templates, verifies them, and writes stencils/lib.
//
//	go run ./stencils/build               rebuild all libraries
//	go run ./stencils/build -arch x86_64  one of them
//	go run ./stencils/build -stale        those that are older than what they are made of
//	go run ./stencils/build -check        rebuild from the samples that determine the code, and compare with the files
//	go run ./stencils/build -check -all   rebuild from all samples, and compare
//	go run ./stencils/build -entries DIR  write the C text of the kernels' entries, for the proofs
//
// See stencils/README.md.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

func main() {
	check := flag.Bool("check", false, "compare with the committed libraries instead of writing them")
	all := flag.Bool("all", false, "compare with what all samples give, as they are built, and not only those that determine it")
	only := flag.String("arch", "", "build this architecture only")
	stale := flag.Bool("stale", false, "build only the libraries that are older than what they are made of")
	dir := flag.String("dir", "stencils", "the stencils folder")
	entries := flag.String("entries", "", "write the C text of the kernels' entries to this folder, and build nothing")
	flag.Parse()
	if *entries != "" {
		src, err := readSources(filepath.Join(*dir, "src"))
		if err == nil {
			err = src.writeEntries(*entries)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "stencils:", err)
			os.Exit(1)
		}
		return
	}
	if *stale && *check {
		fmt.Fprintln(os.Stderr, "stencils: -check rebuilds whatever it compares: leave out -stale")
		os.Exit(2)
	}
	if *all && !*check {
		fmt.Fprintln(os.Stderr, "stencils: without -check all samples are compiled anyway: leave out -all")
		os.Exit(2)
	}
	o := options{dir: *dir, only: *only, stale: *stale, check: *check, few: *check && !*all}
	if err := o.build(os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "stencils:", err)
		os.Exit(1)
	}
}

// options are what the command is told.
type options struct {
	dir, only         string
	stale, check, few bool
}

func (o *options) build(log io.Writer) error {
	archFiles, err := filepath.Glob(filepath.Join(o.dir, "arch", "*.json"))
	if err != nil {
		return err
	}
	cache := "" // a check trusts nothing that it has not made
	if !o.check {
		cache = cacheDir()
	}
	found := false
	var names []string
	for _, file := range archFiles {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if o.only != "" && o.only != name {
			continue
		}
		found = true
		if o.stale {
			old, err := changed(o.dir, name, compilerVersion)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if len(old) == 0 {
				fmt.Fprintf(log, "%s: current\n", name)
				continue
			}
			fmt.Fprintf(log, "%s: changed: %s\n", name, strings.Join(old, ", "))
		}
		names = append(names, name)
	}
	if !found {
		return fmt.Errorf("no architecture file in %s", filepath.Join(o.dir, "arch"))
	}
	// All at once, so that no processor waits for the last job of each.
	results := make(chan built)
	for _, name := range names {
		go func() {
			lib, files, err := buildArch(o.dir, name, cache, o.few)
			results <- built{name, lib, files, err}
		}()
	}
	var failed []error
	for range names {
		r := <-results
		if r.err == nil {
			r.err = r.keep(o.dir, o.check)
		}
		if r.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, r.err))
			continue
		}
		fmt.Fprintf(log, "%s: %d stencils, %d kernels\n", r.name, len(r.lib.Stencils), len(r.lib.Kernels))
	}
	return errors.Join(failed...)
}

// built is what came of an architecture.
type built struct {
	name  string
	lib   *libfile.Library
	files []output
	err   error
}

// keep writes the files, or compares them with those that are there.
func (b *built) keep(dir string, check bool) error {
	for _, f := range b.files {
		path := filepath.Join(dir, "lib", b.name+f.suffix)
		var err error
		if check {
			err = compare(path, f.content)
		} else {
			err = os.WriteFile(path, f.content, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare reports the first difference between a file and what it should be.
func compare(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Equal(got, want) {
		return nil
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	message := fmt.Sprintf("%s differs from what the sources give at byte %d (%d bytes, rebuilt %d)", path, at, len(got), len(want))
	if !strings.HasSuffix(path, ".bin") {
		message += fmt.Sprintf("\n  file:    %s\n  rebuilt: %s", lineAt(got, at), lineAt(want, at))
	}
	return errors.New(message + "\nrun `go run ./stencils/build`; a compiler of another version gives other code")
}

// lineAt is the line of a text that holds byte at.
func lineAt(text []byte, at int) []byte {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return line
}

// output is a file of a library.
type output struct {
	suffix  string
	content []byte
}

// buildArch makes the files of a library. The one that says most of a difference comes first.
func buildArch(dir, name, cache string, few bool) (*libfile.Library, []output, error) {
	a, archText, err := loadArch(dir, name)
	if err != nil {
		return nil, nil, err
	}
	compiler, err := compilerVersion(a)
	if err != nil {
		return nil, nil, err
	}
	src, err := filepath.Abs(filepath.Join(dir, "src"))
	if err != nil {
		return nil, nil, err
	}
	read, err := readSources(src) // before compiling: of an edit meanwhile the library is older
	if err != nil {
		return nil, nil, err
	}
	tmp, err := os.MkdirTemp("", "stencils")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	w := &workshop{src: src, tmp: tmp, cache: cache, few: few, compiler: compiler}

	lib := &libfile.Library{Version: libfile.Version, Arch: a.Name, Compiler: compiler, Frame: a.Frame, EntryNeeds: a.EntryNeeds, HighBit: a.HighBit, InOrder: a.InOrder}
	if lib.Services, err = a.services(); err != nil {
		return nil, nil, err
	}
	lib.Files[stencils.Float], lib.Files[stencils.Int] = a.Float.file(), a.Int.file()
	for _, e := range a.Extensions {
		lib.Features = append(lib.Features, e.Feature)
	}
	if a.Vectors {
		lib.Files[stencils.Vector] = a.Float.file()
		lib.Files[stencils.Vector].Preserved = 0 // the C ABI keeps the low halves at most
	}
	if a.Doubles {
		lib.Files[stencils.Double] = a.class(stencils.Double).file()
		lib.FloatsBesideDoubles = a.FloatsBesideDoubles
	}
	var text listing
	if err := w.stencils(a, read.rows, lib, &text); err != nil {
		return nil, nil, err
	}
	if err := w.kernels(a, read.table, lib, &text); err != nil {
		return nil, nil, err
	}
	sources := w.used.sorted()
	for _, name := range sources {
		if read.sums[name] == "" {
			return nil, nil, fmt.Errorf("the compiler read %s, which is none of the sources in %s: move it there", name, src)
		}
	}
	in, err := a.inputs(archText, compiler, read, sources)
	if err != nil {
		return nil, nil, err
	}
	lib.Digest = in.digest()
	bin, err := libfile.Encode(lib)
	if err != nil {
		return nil, nil, err
	}
	return lib, []output{
		{sumSuffix, []byte(in)}, {".lst", []byte(header(a, lib.Digest, compiler) + text.String())}, {".bin", bin},
	}, nil
}

// compilerVersion is version and target, without the name of the package that
// the compiler came in: a rebuilt package makes the same code.
func compilerVersion(a *arch) (string, error) {
	var text bytes.Buffer
	for _, question := range []string{"-dumpfullversion", "-dumpmachine"} {
		if err := run(&text, a.Compiler, question); err != nil {
			return "", err
		}
	}
	return "gcc " + strings.Join(strings.Fields(text.String()), " "), nil
}

// slots are for jobs of all architectures.
var slots = make(chan struct{}, runtime.NumCPU())

// sideBySide does jobs, as many at once as there are processors.
func sideBySide(jobs int, do func(i int)) {
	var wait sync.WaitGroup
	for i := range jobs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			do(i)
		})
	}
	wait.Wait()
}

// stencils builds all rows.
func (w *workshop) stencils(a *arch, rows []row, lib *libfile.Library, text *listing) error {
	var all []job
	for i := range rows {
		all = append(all, rows[i].jobs(a)...)
	}
	type result struct {
		samples int // of all variants
		stencil *libfile.Stencil
		groups  []*group
		err     error
	}
	results := make([]result, len(all))
	parts := make([]part, len(all))
	for i := range all {
		variants := all[i].variants()
		results[i].samples = len(variants)
		if w.few {
			variants = all[i].determining(variants)
		}
		parts[i] = part{&all[i], variants}
	}
	batches := w.batches(parts)
	sideBySide(len(batches), func(b int) {
		batch := batches[b]
		samples, errs := w.compileBatch(parts, batch)
		for n, i := range batch {
			r := &results[i]
			if r.err = errs[n]; r.err == nil {
				r.stencil, r.groups, r.err = fit(&all[i], samples[n])
			}
			if r.err != nil {
				r.err = fmt.Errorf("stencil %s%s: %w", all[i].row, formNames[all[i].out.Form], r.err)
			}
		}
	})
	var failed []error
	for i, r := range results {
		if r.err != nil {
			failed = append(failed, r.err)
			continue
		}
		lib.Stencils = append(lib.Stencils, *r.stencil)
		text.stencil(&all[i], r.stencil, r.groups, r.samples)
	}
	return errors.Join(failed...)
}

func (w *workshop) kernels(a *arch, t *table, lib *libfile.Library, text *listing) error {
	list := a.kernelRows(t)
	built, errs := make([]*builtKernel, len(list)), make([]error, len(list))
	sideBySide(len(list), func(i int) { built[i], errs[i] = w.buildKernel(a, list[i]) })
	var failed []error
	for i, k := range built {
		if errs[i] != nil {
			failed = append(failed, fmt.Errorf("kernel %s %s: %w", list[i].op, list[i].dtype, errs[i]))
			continue
		}
		k.Blob = len(lib.Blobs)
		lib.Blobs = append(lib.Blobs, k.blob)
		lib.Kernels = append(lib.Kernels, k.Kernel)
		text.kernel(k)
	}
	return errors.Join(failed...)
}
