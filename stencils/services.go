package stencils

import "github.com/copaflash/copaflash/protocol/packet"

// Service says which routine of the runner a stencil calls, on cores without float
// registers or without a division: 1 + its number, so that 0 is none. The code finds
// the address in a word of the data block, which a patch fills in.
type Service uint8

// NoService is that of a stencil which calls none.
const NoService Service = 0

// Calls is the Service of a stencil that calls s.
func Calls(s packet.Service) Service { return Service(s) + 1 }

// Of is the routine, an index into the runner's table. NoService has none.
func (s Service) Of() packet.Service { return packet.Service(s - 1) }

// ServiceStack bounds the stack, in bytes, that a service uses.
const ServiceStack = 96

// ServiceInsns bounds the instructions of a service; 0 for NoService. The bounds are
// those of the architecture's file. What services take on operands that take long is counted by a test
// of package hil, which holds the bounds a little above that.
func (l *Library) ServiceInsns(s Service) int {
	if s == NoService {
		return 0
	}
	return l.services[s.Of()]
}
