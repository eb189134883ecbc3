// Command gen writes the numbers of protocol/messages.cddl as Go and as C, so
// that the host and the runner cannot disagree about them.
//
//	go run ./protocol/gen
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const source = "protocol/messages.cddl"

func main() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "gen: takes no arguments")
		os.Exit(2)
	}
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(compare bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if compare {
			have, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !bytes.Equal(have, text) {
				return fmt.Errorf("%s is not what %s gives: run go run ./protocol/gen", name, source)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the text of every generated file by its path from root.
func generate(root string) (map[string][]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, source))
	if err != nil {
		return nil, err
	}
	s, err := parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := check(s); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	goText, err := emitGo(s)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"protocol/packet/codes_gen.go": goText,
		"firmware/core/codes_gen.h":    emitC(s),
	}, nil
}

// moduleRoot walks up from the working directory to the folder with go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = up
	}
}
