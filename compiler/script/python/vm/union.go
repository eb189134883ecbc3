package vm

import "strings"

// Union is what X | Y of types gives.
type Union struct{ types []Value }

var unionClass = newNative("UnionType", nil)

// PyClass makes Union a Python type.
func (*Union) PyClass() *Class { return unionClass }

// Binary joins another type.
func (u *Union) Binary(_ *Thread, op BinaryOp, other Value, reflected bool) (Value, error) {
	if op != OpBitOr || !unionPart(other) {
		return NotImplemented, nil
	}
	if reflected {
		return newUnion(other, u), nil
	}
	return newUnion(u, other), nil
}

// Compare knows equality, in any order.
func (u *Union) Compare(_ *Thread, op CompareOp, other Value) (Value, error) {
	o, ok := other.(*Union)
	if !ok || op != OpEq && op != OpNe {
		return NotImplemented, nil
	}
	same := len(u.types) == len(o.types)
	for _, t := range u.types {
		same = same && o.has(t)
	}
	return same == (op == OpEq), nil
}

// Hash is independent of the order.
func (u *Union) Hash(*Thread) (uint64, error) {
	h := uint64(len(u.types))
	for _, t := range u.types {
		h += identityHash(t)
	}
	return h, nil
}

// Attr has the parts.
func (u *Union) Attr(_ *Thread, name string) (Value, error) {
	if name == "__args__" {
		return NewTuple(u.types...), nil
	}
	return nil, nil
}

// Repr is int | None.
func (u *Union) Repr(t *Thread) (string, error) {
	var parts []string
	for _, v := range u.types {
		switch v := v.(type) {
		case *Class:
			name := v.Name
			if v == noneClass {
				name = "None"
			}
			if v.module != "" {
				name = v.module + "." + name
			}
			parts = append(parts, name)
		default:
			s, err := t.Repr(v)
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " | "), nil
}

func (u *Union) has(v Value) bool {
	for _, t := range u.types {
		if t == v {
			return true
		}
	}
	return false
}

// unionPart reports whether a value can stand in X | Y.
func unionPart(v Value) bool {
	switch v.(type) {
	case *Class, *Union, *NoneType, *noOpType:
		return true
	}
	return false
}

// newUnion joins types, each once; one alone stays itself.
func newUnion(a, b Value) Value {
	u := &Union{}
	for _, v := range []Value{a, b} {
		parts := []Value{v}
		switch v := v.(type) {
		case *Union:
			parts = v.types
		case *NoneType:
			parts[0] = noneClass
		}
		for _, p := range parts {
			if !u.has(p) {
				u.types = append(u.types, p)
			}
		}
	}
	if len(u.types) == 1 {
		return u.types[0]
	}
	return u
}
