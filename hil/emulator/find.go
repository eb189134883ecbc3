package emulator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"github.com/copaflash/copaflash/boards"
)

// FolderVariable names the environment variable of Folder.
const FolderVariable = "COPAFLASH_QEMU"

// Folder is where a QEMU may lie that is newer than the system's, as `make deps` unpacks one there: what COPAFLASH_QEMU says,
// else copaflash/qemu in the user's cache; empty where there is no such folder. Its programs are in usr/bin.
func Folder() string {
	if folder := os.Getenv(FolderVariable); folder != "" {
		return folder
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "copaflash", "qemu")
}

// A MissingError says that an emulator is not installed, or only one that is too old.
type MissingError struct {
	Binary  string
	Package string // Debian package that has it
	Least   string // version that is needed, empty: any
	Err     error
}

func (e *MissingError) Error() string {
	if e.Least == "" {
		return fmt.Sprintf("emulator: %s is not installed (%v); on Debian: apt install %s", e.Binary, e.Err, e.Package)
	}
	return fmt.Sprintf("emulator: no %s of version %s or later (%v); on Debian: %s from backports, or unpacked below a folder that %s names",
		e.Binary, e.Least, e.Err, e.Package, FolderVariable)
}

func (e *MissingError) Unwrap() error { return e.Err }

// Find returns the path of the program that emulates a board: the system's, unless that is older than the board needs and
// there is a newer one in Folder. Where there is none, the error is a *MissingError.
func Find(q *boards.QEMU) (string, error) {
	path, err := exec.LookPath(q.Binary)
	if q.Least == "" {
		if err != nil {
			return "", &MissingError{Binary: q.Binary, Package: q.Package, Err: err}
		}
		return path, nil
	}
	if err == nil {
		if err = atLeast(path, q.Least); err == nil {
			return path, nil
		}
	}
	if folder := Folder(); folder != "" {
		newer := filepath.Join(folder, "usr", "bin", q.Binary)
		if _, missing := os.Stat(newer); missing == nil {
			if err = atLeast(newer, q.Least); err == nil {
				return newer, nil
			}
		}
	}
	return "", &MissingError{Binary: q.Binary, Package: q.Package, Least: q.Least, Err: err}
}

var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\d+)\.(\d+)`)
})

// atLeast asks a QEMU for its version.
func atLeast(path, least string) error {
	text, err := exec.Command(path, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", path, err)
	}
	found := versionForm().FindString(string(text))
	if found == "" {
		return fmt.Errorf("%s does not tell its version", path)
	}
	if number(found) < number(least) {
		return fmt.Errorf("%s is version %s", path, found)
	}
	return nil
}

// number makes a version of two parts comparable; that of a text that is none is 0.
func number(version string) int {
	parts := versionForm().FindStringSubmatch(version)
	if parts == nil {
		return 0
	}
	major, _ := strconv.Atoi(parts[1])
	minor, _ := strconv.Atoi(parts[2])
	return major<<16 + minor
}
