//go:build !unix

package share

import (
	"os"
	"path/filepath"
)

// folderVariable names the variable that moves the folder of sockets.
const folderVariable = "LocalAppData"

// runtimeFolder is in the user's own folder, to which the system lets nobody else.
func runtimeFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "copaflash", "run"), nil
}

func checkPrivate(dir string) error {
	_, err := os.Stat(dir)
	return err
}
