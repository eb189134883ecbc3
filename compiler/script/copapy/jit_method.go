package copapy

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Bounds of what an object's signature looks at.
const (
	maxSelfDepth = 4
	maxSelfParts = 4096
)

// selfSignature tells the states of an object apart that a method may have been traced with:
// its numbers and texts are part of what is compiled, so that the method is traced anew
// when one of them has another value.
func (f *jitted) selfSignature(t *vm.Thread, b *bytes.Buffer, o *vm.Instance) error {
	parts := 0
	var write func(v vm.Value, depth int)
	write = func(v vm.Value, depth int) {
		if parts++; depth > maxSelfDepth || parts > maxSelfParts {
			fmt.Fprintf(b, "%p;", v)
			return
		}
		switch x := v.(type) {
		case *vm.Instance:
			fmt.Fprintf(b, "o%p{", x)
			x.EachAttr(func(name string, v vm.Value) bool {
				b.WriteString(name + "=")
				write(v, depth+1)
				return parts <= maxSelfParts
			})
			b.WriteString("}")
		case int64, float64, bool, string, *big.Int, *vm.NoneType:
			fmt.Fprintf(b, "%T:%v;", x, x)
		case *vm.List:
			fmt.Fprintf(b, "[%d ", len(x.Elems))
			for _, e := range x.Elems {
				write(e, depth+1)
			}
		case *vm.Tuple:
			fmt.Fprintf(b, "(%d ", len(x.Elems))
			for _, e := range x.Elems {
				write(e, depth+1)
			}
		case *vm.Dict:
			fmt.Fprintf(b, "{%d ", x.Len())
			for k, e := range x.All() {
				write(k, depth+1)
				write(e, depth+1)
			}
		default:
			fmt.Fprintf(b, "%p;", x)
		}
	}
	write(o, 0)
	return t.Tick(parts)
}
