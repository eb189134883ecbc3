package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

// The images last sent are kept, by digest, in the user's cache folder, so that the variables of
// a program on a board are known by name to commands that come later.
const (
	keptImages     = 64        // files
	keptImageBytes = 256 << 20 // in all of them
)

func imageFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "copaflash", "images"), nil
}

// keep saves an image that is now on a board, and stays there however the command
// ends, so that read, set and watch know its variables. Other targets end with it.
func (p place) keep(img *image.Image) {
	if target.IsLasting(p.name) {
		saveImage(img)
	}
}

// saveImage keeps an image, readable for the user alone. That is a convenience: failing to do so
// is no error.
func saveImage(img *image.Image) {
	data, err := img.Encode()
	if err != nil || len(data) > keptImageBytes {
		return
	}
	dir, err := imageFolder()
	if err != nil || os.MkdirAll(dir, 0o700) != nil || os.Chmod(dir, 0o700) != nil {
		return
	}
	name := digestText(img) + imageSuffix
	if replaceFile(filepath.Join(dir, name), data, 0o600) == nil {
		forgetImages(dir, name)
	}
}

// forgetImages removes the images used longest ago, until what is left is within the bounds. The
// newest one stays.
func forgetImages(dir, newest string) {
	var files []fs.FileInfo
	bytes := int64(0) // of those that stay
	for _, f := range imageFiles(dir) {
		if f.Name() == newest {
			bytes = f.Size()
		} else {
			files = append(files, f)
		}
	}
	for i, f := range files {
		if bytes += f.Size(); i+1 >= keptImages || bytes > keptImageBytes {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// imageFiles are the images in a folder, those used last first. What else lies there is not ours.
func imageFiles(dir string) []fs.FileInfo {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), imageSuffix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	return files
}

// notSaved is the error where an image is not kept.
type notSaved struct{ *failure }

func (n *notSaved) Unwrap() error { return n.failure }

// savedImage finds the image with a digest.
func savedImage(digest string) (*image.Image, error) {
	dir, err := imageFolder()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, digest+imageSuffix)
	img, err := readImage(file)
	if err != nil || digestText(img) != digest {
		return nil, &notSaved{&failure{Code: exitUsage, Message: "the program on the target was not sent from here, so the names of its variables are not known",
			Hint: "give it with --image FILE: its image file (.copa), script or graph file"}}
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it was used last
	return img, nil
}

// latestImage is the image that was sent or used last from here, nil if none is kept.
func latestImage() *image.Image {
	dir, err := imageFolder()
	if err != nil {
		return nil
	}
	for _, f := range imageFiles(dir) {
		if img, err := readImage(filepath.Join(dir, f.Name())); err == nil {
			return img
		}
	}
	return nil
}
