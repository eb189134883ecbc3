// Package share lets several processes use one loop: the process that holds a port offers the loop
// that runs there on a local socket, and others use it as if they held the port themselves.
//
// A share is found by the name of its target: its socket lies in a folder of the user's own. One
// connection carries one request, or one stream of records. What its clients subscribe to is one
// subscription on the board, which the share splits again; a client that is slow loses records, which
// are counted, and holds up nobody.
package share

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrNone says that there is no share for a target, or none at all.
	ErrNone = errors.New("nothing is shared there")
	// ErrSeveral says that a share was to be found without a name, and there are several.
	ErrSeveral = errors.New("several targets are shared")
	// ErrReadOnly says that a share lets its clients watch only.
	ErrReadOnly = errors.New("this share is read-only")
	// ErrTaken says that a target is shared already.
	ErrTaken = errors.New("this target is shared already")
	// ErrFolder says that the folder of sockets cannot be trusted.
	ErrFolder = errors.New("the folder for sockets is not private")
)

const (
	socketSuffix = ".sock"
	// longestPath is what the address of a socket has room for on every system, in bytes.
	longestPath = 103
)

// canonical is the name that a target is shared by, whatever it was called: a port by its device.
func canonical(name string) string {
	kind, path, isSocket := strings.Cut(name, ":")
	if isSocket = isSocket && kind == "unix"; !isSocket {
		path = name
	}
	if isSocket || filepath.IsAbs(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
	}
	if isSocket {
		return "unix:" + path
	}
	return path
}

// socketOf is where the share of a target is. The name is short, as addresses of sockets are.
func socketOf(dir, name string) (string, error) {
	sum := sha256.Sum256([]byte(canonical(name)))
	path := filepath.Join(dir, hex.EncodeToString(sum[:8])+socketSuffix)
	if len(path) > longestPath {
		return "", fmt.Errorf("%s: the path of a socket has at most %d bytes: name a shorter folder in %s", path, longestPath, folderVariable)
	}
	return path, nil
}

// folder is where this user's shares are. It is made if create is set.
func folder(create bool) (string, error) {
	dir, err := runtimeFolder()
	if err != nil {
		return "", err
	}
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("folder for sockets: %w", err)
		}
	}
	if err := checkPrivate(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", ErrNone
		}
		return "", err
	}
	return dir, nil
}

// sockets are the paths in the folder that may be shares.
func sockets() ([]string, error) {
	dir, err := folder(false)
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "*"+socketSuffix))
}
