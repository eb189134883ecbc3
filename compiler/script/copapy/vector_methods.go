package copapy

import "github.com/copaflash/copaflash/compiler/script/vm"

// vectorMethods are those that only vectors have.
var vectorMethods = map[string]vm.GoMethod{
	"magnitude": onTensor(func(x *Tensor, t *vm.Thread, a vm.Args) (vm.Value, error) {
		if _, err := a.Bind("magnitude"); err != nil {
			return nil, err
		}
		return x.magnitude(t)
	}),
}

// magnitude is the square root of the inner product with itself.
func (x *Tensor) magnitude(t *vm.Thread) (vm.Value, error) {
	s, err := x.m.matmul(t, x, x)
	if err != nil {
		return nil, err
	}
	return x.m.call1(t, "sqrt", s)
}
