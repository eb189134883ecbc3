package native

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Arch is the architecture of programs that run here.
const Arch = packet.ArchAarch64

// Features are what this processor has beyond its base.
func Features() packet.Features { return packet.FeatNeon }

// gate is called with the entry in x9, the data in x0, the top of the stack in x10 and the slot in x12. The
// barrier is for code that was written on another core.
var gate = words(
	0x910003eb, // mov x11, sp
	0xa9bf794b, // stp x11, x30, [x10, #-16]!
	0xf900099e, // str x30, [x12, #16]: slot.back
	0x9100015f, // mov sp, x10
	0xd5033fdf, // isb
	0xd63f0120, // blr x9
	0xa9407beb, // ldp x11, x30, [sp]
	0x9100017f, // mov sp, x11
	0xd65f03c0, // ret
)

func words(w ...uint32) (b []byte) {
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
