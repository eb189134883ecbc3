package stencils

// Service is a routine that the runner lends to programs, for cores without float
// registers or without a division. The code that calls one finds its address in a
// word of the data block, which a patch fills in.
type Service uint8

// Services, numbered from 1. Meaning and calling convention are in protocol/SPEC.md.
const (
	NoService Service = iota
	AddF32
	SubF32
	MulF32
	DivF32
	LtF32
	LeF32
	EqF32
	ToF32
	ToI32
	FloorDivI32
	ModI32

	// NumServices counts them.
	NumServices = int(ModI32)
)

// Index is the place of the service in the runner's table.
func (s Service) Index() uint32 { return uint32(s) - 1 }

// ServiceStack bounds the stack, in bytes, that a service uses.
const ServiceStack = 96

// serviceInsns bound the instructions of a service on the slowest core.
var serviceInsns = [NumServices + 1]int{
	AddF32: 260, SubF32: 260, MulF32: 260, DivF32: 900,
	LtF32: 30, LeF32: 30, EqF32: 30, ToF32: 120, ToI32: 30, FloorDivI32: 500, ModI32: 500,
}

// Insns bounds the instructions of the service.
func (s Service) Insns() int { return serviceInsns[s] }
