// Command build compiles the runners of boards, and the one for Linux, into
// firmware/images.
//
//	go run ./firmware/build            build all of them
//	go run ./firmware/build -check     build, compare with what is committed, write nothing
//	go run ./firmware/build rpi3       build one
//	go run ./firmware/build -sizes     what the committed images of boards take, against their budgets
//
// The same compiler gives the same bytes; firmware/images/manifest.json says
// which one that was, and what went in.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	check := flag.Bool("check", false, "compare with the committed images instead of writing them")
	sizes := flag.Bool("sizes", false, "tell what the committed images take; fail if one is over its budget")
	flag.Parse()
	var err error
	if *sizes {
		err = runSizes()
	} else {
		err = run(*check, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(check bool, names []string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	all, err := targets()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(t target) bool { return t.name == name }) {
			return fmt.Errorf("no board %q", name)
		}
	}
	old, err := readManifest(root)
	if err != nil {
		return err
	}
	for _, t := range all {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}
		image, entry, err := build(root, &t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if check {
			if err := old.compare(t.image, entry); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(imagePath(root, t.image), image, 0o644); err != nil {
			return err
		}
		old[t.image] = entry
		fmt.Printf("%s: %d bytes\n", t.image, len(image))
	}
	if check {
		return nil
	}
	return old.write(root)
}

func runSizes() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	all, err := targets()
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
