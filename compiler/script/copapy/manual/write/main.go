// Command write makes the pages of docs/reference from package manual.
//
//	go run ./compiler/script/copapy/manual/write
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
)

const folder = "docs/reference"

func main() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "write: takes no arguments")
		os.Exit(2)
	}
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func run(compare bool) error {
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("run it in the folder of go.mod: %w", err)
	}
	want := manual.Markdown()
	have, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	for _, file := range have {
		if _, ok := want[filepath.Base(file)]; ok {
			continue
		}
		if compare {
			return fmt.Errorf("%s is no page of the reference: run make reference", file)
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range want {
		file := filepath.Join(folder, name)
		if !compare {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, []byte(text)) {
			return fmt.Errorf("%s is not what the manual gives: run make reference", file)
		}
	}
	return nil
}
