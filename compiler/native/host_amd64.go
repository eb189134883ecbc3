package native

import (
	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Arch is the architecture of programs that run here.
const Arch = packet.ArchX86_64

// Features are what this processor has beyond its base.
func Features() (f packet.Features) {
	if cpu.X86.HasSSE41 {
		f |= packet.FeatSSE41
	}
	if cpu.X86.HasAVX2 {
		f |= packet.FeatAVX2
	}
	return f
}

// gate is called with the entry in rax, the data in rdi and the top of the stack in rdx:
//
//	mov %rsp, -16(%rdx); lea -16(%rdx), %rsp; call *%rax; mov (%rsp), %rsp; ret
var gate = []byte{0x48, 0x89, 0x62, 0xf0, 0x48, 0x8d, 0x62, 0xf0, 0xff, 0xd0, 0x48, 0x8b, 0x24, 0x24, 0xc3}
