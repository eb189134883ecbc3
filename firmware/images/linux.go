package images

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed runner-linux-*
var linux embed.FS

// Linux returns the runner that is a Linux program for arch, a name of
// protocol/messages.cddl such as "x86_64". The program needs no library and
// no file; it speaks the wire protocol over file descriptor 3, or over what its
// argument -listen names.
func Linux(arch string) ([]byte, error) {
	image, err := linux.ReadFile(linuxPrefix + arch)
	if err != nil {
		return nil, fmt.Errorf("no runner for Linux on %q; there are: %s", arch, strings.Join(LinuxArchs(), ", "))
	}
	return image, nil
}

const linuxPrefix = "runner-linux-"

// LinuxArchs lists the architectures that there are runners for Linux for.
func LinuxArchs() []string {
	files, err := linux.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimPrefix(f.Name(), linuxPrefix))
	}
	return out
}
