// Package boards knows the boards that Copaflash supports, as data: one folder
// per board with a board.json, and the runner's image from firmware/images. A
// new board of a known chip is a board.json and a board.c.
package boards

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/firmware/images"
)

//go:embed */board.json
var files embed.FS

// Sources are what runners have of each board, below boards in the repository.
//
//go:embed */board.c
var Sources embed.FS

// load reads every embedded board once.
var load = sync.OnceValues(func() ([]Board, error) { return read(files) })

// read parses every board.json of a file system, in order of their names.
func read(fsys fs.FS) ([]Board, error) {
	names, err := fs.Glob(fsys, "*/board.json")
	if err != nil {
		return nil, err
	}
	all := make([]Board, 0, len(names))
	owner := map[string]string{} // by name or alias
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		b, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("boards/%s: %w", name, err)
		}
		if folder := path.Dir(name); b.Name != folder {
			return nil, fmt.Errorf("boards/%s: name %q differs from the folder's", name, b.Name)
		}
		for _, name := range b.Names() {
			if other, taken := owner[name]; taken {
				return nil, fmt.Errorf("boards: both %s and %s are called %s", other, b.Name, name)
			}
			owner[name] = b.Name
		}
		all = append(all, b)
	}
	return all, nil
}

// Descriptions returns the boards without their images, in order of their
// names: what building the images needs.
func Descriptions() ([]Board, error) {
	all, err := load()
	return append([]Board(nil), all...), err
}

// All returns every board, in order of their names.
func All() ([]Board, error) {
	all, err := Descriptions()
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Image, err = images.Read(all[i].ImageFile)
		if err != nil {
			return nil, fmt.Errorf("boards: %s: %w", all[i].Name, err)
		}
	}
	return all, nil
}

// Find returns the board of that name or alias; the error lists the names there are.
func Find(name string) (Board, error) {
	all, err := All()
	if err != nil {
		return Board{}, err
	}
	names := make([]string, len(all))
	for i, b := range all {
		if slices.Contains(b.Names(), name) {
			return b, nil
		}
		names[i] = b.Name
	}
	return Board{}, fmt.Errorf("no board %q; there are: %s", name, strings.Join(names, ", "))
}
