// Command wiring makes the wiring pictures of docs/pin-examples.md in the folder docs/wiring:
//
//	go run ./docs/internal/wiring
//
// Boards.go has the edges of boards, pictures.go what is connected to what, and board.json which pins there are.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder is where the pictures lie, from the module's root.
const folder = "docs/wiring"

func main() {
	if err := run(folder); err != nil {
		fmt.Fprintln(os.Stderr, "wiring:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	for _, p := range pictures {
		text, err := p.draw()
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if err := os.WriteFile(filepath.Join(folder, p.file+".svg"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
