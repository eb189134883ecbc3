package vm

import "strconv"

// Bounds of EachPart: how many values it comes to, and how deep.
const (
	maxParts     = 4096
	maxPartDepth = 4
)

// EachPart calls f for what lies inside the global variables of the main script, in
// their order: attributes of objects as pid.integral, and elements of lists and tuples as
// axes[1]. An object is entered once, by its first name.
func (t *Thread) EachPart(f func(name string, v Value)) {
	w := partWalk{f: f, entered: map[Value]bool{}}
	t.EachGlobal(func(name string, v Value) { w.enter(name, v, 0) })
}

type partWalk struct {
	f       func(name string, v Value)
	entered map[Value]bool
	visited int
}

func (w *partWalk) enter(name string, v Value, depth int) {
	if depth == maxPartDepth {
		return
	}
	switch v.(type) {
	case *Instance, *List, *Tuple:
		if w.entered[v] {
			return
		}
		w.entered[v] = true
	}
	visit := func(part string, v Value) bool {
		if v == nil || w.visited == maxParts {
			return w.visited < maxParts
		}
		w.visited++
		w.f(part, v)
		w.enter(part, v, depth+1)
		return true
	}
	switch v := v.(type) {
	case *Instance:
		for i, attr := range v.attrs.names {
			if !visit(name+"."+attr, v.attrs.values[i]) {
				return
			}
		}
	case *List:
		visitAll(name, v.Elems, visit)
	case *Tuple:
		visitAll(name, v.Elems, visit)
	}
}

func visitAll(name string, elems []Value, visit func(string, Value) bool) {
	for i, e := range elems {
		if !visit(name+"["+strconv.Itoa(i)+"]", e) {
			return
		}
	}
}
