package vm

import "strconv"

// Bounds of EachPart: how many values it comes to, and how deep.
const (
	maxParts     = 4096
	maxPartDepth = 4
)

// EachPart calls f for what lies inside the global variables of the main script, in
// their order: attributes of objects and classes as pid.integral, elements of lists and tuples as
// axes[1], and of dicts as gains["ki"]. An object is entered once, by its first name.
func (t *Thread) EachPart(f func(name string, v Value)) {
	w := partWalk{f: f, entered: map[Value]bool{}, most: maxParts}
	t.EachGlobal(func(name string, v Value) { w.enter(name, v, 0) })
}

// EachPartOf calls f for what lies inside a value with a name, for most parts at the most,
// and tells how many it came to.
func EachPartOf(name string, v Value, most int, f func(name string, v Value)) int {
	w := partWalk{f: f, entered: map[Value]bool{}, most: most}
	w.enter(name, v, 0)
	return w.visited
}

type partWalk struct {
	f       func(name string, v Value)
	entered map[Value]bool
	visited int
	most    int
}

func (w *partWalk) enter(name string, v Value, depth int) {
	if depth == maxPartDepth {
		return
	}
	switch v.(type) {
	case *Instance, *Class, *List, *Tuple, *Dict:
		if w.entered[v] {
			return
		}
		w.entered[v] = true
	}
	visit := func(part string, v Value) bool {
		if v == nil || w.visited == w.most {
			return w.visited < w.most
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
	case *Class:
		if v.native {
			return
		}
		for _, attr := range v.dict.names() {
			if !visit(name+"."+attr, v.dict.get(attr)) {
				return
			}
		}
	case *List:
		visitAll(name, v.Elems, visit)
	case *Tuple:
		visitAll(name, v.Elems, visit)
	case *Dict:
		for k, e := range v.All() {
			part, ok := keyText(k)
			if ok && !visit(name+"["+part+"]", e) {
				return
			}
		}
	}
}

// keyText is a key as a script would write it: of a dict with other keys the names would
// say nothing.
func keyText(k Value) (string, bool) {
	switch k := k.(type) {
	case string:
		return strconv.Quote(k), true
	case int64:
		return strconv.FormatInt(k, 10), true
	}
	return "", false
}

func visitAll(name string, elems []Value, visit func(string, Value) bool) {
	for i, e := range elems {
		if !visit(name+"["+strconv.Itoa(i)+"]", e) {
			return
		}
	}
}
