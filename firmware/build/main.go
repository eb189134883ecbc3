// Command build compiles the runners of boards, and the one for Linux, into
// firmware/images, and writes what they take into docs/measured.md.
//
//	go run ./firmware/build            build all of them
//	go run ./firmware/build -check     build, compare with what is committed, write nothing
//	go run ./firmware/build rpi3       build one
//	go run ./firmware/build -windows   write what lists for the pins may access of each chip, which every build does first
//	go run ./firmware/build -sizes     what the committed images of boards take, against their budgets
//
// The same compiler gives the same bytes; firmware/images/manifest.json says
// which one that was, and what went in.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/copaflash/copaflash/firmware/build/runner"
)

func main() {
	check := flag.Bool("check", false, "compare with the committed images instead of writing them")
	windows := flag.Bool("windows", false, "write the tables of what lists for the pins may access, and no images")
	sizes := flag.Bool("sizes", false, "tell what the committed images take; fail if one is over its budget")
	flag.Parse()
	root, err := moduleRoot()
	switch {
	case err != nil:
	case *sizes:
		err = runSizes(root)
	default:
		if err = runWindows(root, *check); err == nil && !*windows {
			err = run(root, *check, flag.Args())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(root string, check bool, names []string) error {
	all, err := runner.Targets(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(t runner.Target) bool { return t.Name == name }) {
			return fmt.Errorf("no board %q", name)
		}
	}
	old, err := readManifest(root)
	if err != nil {
		return err
	}
	wanted := all
	if len(names) > 0 {
		wanted = slices.DeleteFunc(slices.Clone(all), func(t runner.Target) bool { return !slices.Contains(names, t.Name) })
	}
	for i, b := range buildAll(root, wanted) {
		t := &wanted[i]
		if b.err != nil {
			return fmt.Errorf("%s: %w", t.Name, b.err)
		}
		if check {
			if err := old.compare(t.Image, b.entry); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(imagePath(root, t.Image), b.image, 0o644); err != nil {
			return err
		}
		old[t.Image] = b.entry
		fmt.Printf("%s: %d bytes\n", t.Image, len(b.image))
	}
	was, is, err := page(root, all)
	if err != nil {
		return err
	}
	if check {
		if !bytes.Equal(was, is) {
			return fmt.Errorf("%s has other sizes than the images: go run ./firmware/build writes them", pagePath(root))
		}
		return nil
	}
	if err := os.WriteFile(pagePath(root), is, 0o644); err != nil {
		return err
	}
	return old.write(root)
}

// A built is what came of building a target.
type built struct {
	image []byte
	entry entry
	err   error
}

// buildAll builds targets, as many at once as there are processors.
func buildAll(root string, all []runner.Target) []built {
	results := make([]built, len(all))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i := range all {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r := &results[i]
			r.image, r.entry, r.err = build(root, &all[i])
		})
	}
	wait.Wait()
	return results
}

func runSizes(root string) error {
	all, err := runner.Targets(root)
	if err != nil {
		return err
	}
	return report(os.Stdout, root, all)
}

// moduleRoot returns the folder of go.mod, here or above.
func moduleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod in %s or above", start)
		}
	}
}

func imagePath(root, name string) string {
	return filepath.Join(root, "firmware", "images", name)
}

// build makes an image, and what the manifest says of it.
func build(root string, t *runner.Target) ([]byte, entry, error) {
	image, said, version, err := runner.Build(context.Background(), root, t)
	if err != nil {
		return nil, entry{}, fmt.Errorf("%w\n%s", err, said)
	}
	digest, err := sourceDigest(root, t)
	if err != nil {
		return nil, entry{}, err
	}
	return image, entry{Compiler: version, Sources: digest, Image: sum(image)}, nil
}
