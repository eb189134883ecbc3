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

// serviceInsns bound the instructions of each service, by architecture. What they are on
// operands that take long is counted by a test of package hil, which holds these
// figures a little above that.
var serviceInsns = map[string][NumServices + 1]int{
	"thumbv6m": {
		AddF32: 110, SubF32: 115, MulF32: 165, DivF32: 470,
		LtF32: 40, LeF32: 40, EqF32: 40, ToF32: 80, ToI32: 30, FloorDivI32: 255, ModI32: 255,
	},
	"thumbv7m": { // normalises subnormals bit by bit
		AddF32: 70, SubF32: 70, MulF32: 285, DivF32: 400,
		LtF32: 30, LeF32: 30, EqF32: 30, ToF32: 30, ToI32: 20, FloorDivI32: 20, ModI32: 20,
	},
	"rv32imac": {
		AddF32: 110, SubF32: 110, MulF32: 145, DivF32: 155,
		LtF32: 20, LeF32: 20, EqF32: 20, ToF32: 75, ToI32: 25, FloorDivI32: 15, ModI32: 15,
	},
}

// ServiceInsns bounds the instructions of a service; 0 for NoService.
func (l *Library) ServiceInsns(s Service) int { return serviceInsns[l.Arch][s] }
