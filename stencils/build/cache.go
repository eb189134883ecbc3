package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// object compiles a source, or takes what the compiler made of the same text with the
// same flags before: of a change in the sources of one architecture the others see
// nothing, since the preprocessor leaves it out. Without a cache it always compiles. The arguments
// name no directory but the present one, that of the sources.
func (w *workshop) object(tool string, args []string, source, object string) error {
	compile := func(more ...string) error {
		return runIn(w.src, nil, tool, slices.Concat(args, []string{"-c", source, "-o", object}, more)...)
	}
	depends := object + ".d"
	if w.cache == "" {
		if err := compile(dependsFlags(depends)...); err != nil {
			return err
		}
		return w.used.read(depends, source)
	}
	var text bytes.Buffer
	if err := runIn(w.src, &text, tool, slices.Concat(args, []string{"-E", "-P", source}, dependsFlags(depends))...); err != nil {
		return err
	}
	if err := w.used.read(depends, source); err != nil {
		return err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", tool, w.compiler, strings.Join(args, " "))
	h.Write(text.Bytes())
	kept := filepath.Join(w.cache, hex.EncodeToString(h.Sum(nil))+".o")
	if copyFile(kept, object) == nil {
		return nil
	}
	if err := compile(); err != nil {
		return err
	}
	// A rename is whole or not at all, whoever else writes the same file. A cache that
	// cannot be written costs time, nothing else.
	part := fmt.Sprintf("%s.%d", kept, os.Getpid())
	if copyFile(object, part) == nil && os.Rename(part, kept) != nil {
		os.Remove(part)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// cacheDir is where object files are kept between builds; "" where there is no place.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir = filepath.Join(dir, "copaflash", "stencils")
	if os.MkdirAll(dir, 0o777) != nil {
		return ""
	}
	return dir
}
