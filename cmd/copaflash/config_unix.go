//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
)

// othersWrite reports whether everybody may write to a file or to its folder. In the
// working folder, such as /tmp, a file of the user's own counts as theirs all the same.
func othersWrite(file string) bool {
	const everybody = 0o002
	dir := filepath.Dir(file)
	f, err := os.Stat(file)
	if err != nil {
		return true
	}
	folder, err := os.Stat(dir)
	if err != nil || f.Mode().Perm()&everybody != 0 {
		return true
	}
	if folder.Mode().Perm()&everybody == 0 {
		return false
	}
	here, err := os.Getwd()
	owner, known := f.Sys().(*syscall.Stat_t)
	return err != nil || here != dir || !known || int(owner.Uid) != os.Getuid()
}
