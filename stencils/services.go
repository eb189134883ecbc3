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

// ServiceNames are those of the files of architectures, by index.
var ServiceNames = [NumServices]string{"add_f32", "sub_f32", "mul_f32", "div_f32", "lt_f32", "le_f32", "eq_f32", "to_f32", "to_i32", "floordiv_i32", "mod_i32"}

// ServiceInsns bounds the instructions of a service; 0 for NoService. The bounds are
// those of the architecture's file. What services take on operands that take long is counted by a test
// of package hil, which holds the bounds a little above that.
func (l *Library) ServiceInsns(s Service) int {
	if s == NoService {
		return 0
	}
	return l.services[s.Index()]
}
