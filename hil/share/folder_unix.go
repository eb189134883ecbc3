//go:build unix

package share

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// folderVariable names the variable that moves the folder of sockets.
const folderVariable = "XDG_RUNTIME_DIR"

// runtimeFolder is in the user's runtime folder, or where temporary files are.
func runtimeFolder() (string, error) {
	if dir := os.Getenv(folderVariable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "copaflash"), nil
	}
	return filepath.Join(os.TempDir(), "copaflash-"+strconv.Itoa(os.Getuid())), nil
}

// checkPrivate refuses a folder that others can put sockets into: they could pose as a share, and
// be sent what is meant for a board.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !known || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: %w: it must be a folder of yours that nobody else can use", dir, ErrFolder)
	}
	return nil
}
