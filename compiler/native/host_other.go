//go:build !amd64 && !arm64

package native

import "github.com/copaflash/copaflash/protocol/packet"

// Arch is none: programs do not run in the process of this machine.
const Arch packet.Arch = 0

// Features are none.
func Features() packet.Features { return 0 }
