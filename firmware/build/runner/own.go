package runner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware"
)

// unpack writes the embedded sources into a folder, as they lie in the repository.
func unpack(dir string) error {
	for name, files := range map[string]fs.FS{"firmware": firmware.Sources, "boards": boards.Sources} {
		if err := os.CopyFS(filepath.Join(dir, name), files); err != nil {
			return err
		}
	}
	return nil
}

// A SourceError is what the compiler has against the sources.
type SourceError struct{ Said string }

func (e *SourceError) Error() string { return "the compiler refuses it:\n" + e.Said }

// BuildOwn makes the runner of a board with drivers of one's own, at least one file in C, from the sources in this program.
// It returns the image, and what the compiler warns of.
func BuildOwn(ctx context.Context, b *boards.Board, drivers []string) (image []byte, warnings string, err error) {
	files := []string{"-DCF_DRIVER=1"}
	for _, name := range drivers {
		name, err := filepath.Abs(name)
		if err != nil {
			return nil, "", err
		}
		files = append(files, name)
	}
	root, err := os.MkdirTemp("", "firmware-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(root)
	if err := unpack(root); err != nil {
		return nil, "", err
	}
	tools, err := ReadToolchains(root, "firmware/arch")
	if err != nil {
		return nil, "", err
	}
	t, err := BoardTarget(tools, b)
	if err != nil {
		return nil, "", err
	}
	t.Flags = slices.DeleteFunc(t.Flags, func(flag string) bool { return flag == "-Werror" })
	image, said, _, err := Build(ctx, root, &t, files...)
	if err != nil && said != "" && ctx.Err() == nil {
		return nil, "", &SourceError{said}
	}
	if err != nil {
		return nil, "", fmt.Errorf("building the runner: %w", err)
	}
	return image, said, nil
}
