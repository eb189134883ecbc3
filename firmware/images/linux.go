package images

import (
	"embed"
	"fmt"
)

//go:embed runner-linux-*
var linux embed.FS

// Linux returns the runner that is a Linux program for arch, a name of
// protocol/messages.cddl such as "x86_64". The program needs no library and
// no file; it speaks the wire protocol over file descriptor 3.
func Linux(arch string) ([]byte, error) {
	image, err := linux.ReadFile("runner-linux-" + arch)
	if err != nil {
		return nil, fmt.Errorf("no runner for Linux on %s", arch)
	}
	return image, nil
}
