package copapy

import (
	"fmt"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Parameters, inputs, outputs and logs are variables that a program shows to whoever watches and tunes
// it, each under a name of its own.

// role is one of them.
type role struct {
	kind  graph.Role
	name  string
	node  graph.Value
	meta  graph.Meta
	task  int // in which an output or log was made
	pos   vm.Pos
	round int // of compilation
}

// roles are those of a script. A name stands for one variable; once a program was compiled it may be
// given again, which replaces the variable in the programs to come.
type roles struct {
	list  []*role
	round int // compilations so far
	jits  int // functions that are being traced for a program of their own
}

// roleRows make variables with a role.
func (m *module) roleRows() []array.Row {
	return []array.Row{
		{Name: "param", Params: "name value unit? low? high? dtype?", Call: m.inputFunc(graph.RoleParam)},
		{Name: "input", Params: "name value? unit? low? high? dtype?", Call: m.inputFunc(graph.RoleInput)},
		{Name: "output", Params: "name value unit? low? high? safe?", Call: m.outputFunc},
	}
}

// logOr is cp.log: with a name, it makes a log; without one it is the natural logarithm.
func (m *module) logOr(logarithm vm.GoFunc) vm.GoFunc {
	log := m.Functions([]array.Row{{Name: "log", Params: "name value every? unit?", Call: m.logFunc}})["log"]
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		named := len(a.Pos) == 0 && slices.ContainsFunc(a.Kw, func(k vm.Keyword) bool { return k.Name == "name" })
		if len(a.Pos) > 0 {
			_, named = a.Pos[0].(string)
		}
		if named {
			return log(t, a)
		}
		return logarithm(t, a)
	}
}

// newRole checks the name of a variable and where it is made.
func (m *module) newRole(t *vm.Thread, kind graph.Role, name, unit vm.Value) (*role, error) {
	fn := kind.String()
	if err := m.outsideLoops("cp."+fn, "make it outside: what the loop returns can be an output, and what it takes an input"); err != nil {
		return nil, err
	}
	if m.roles.jits > 0 {
		return nil, vm.WithHint(vm.ValueErrorf("cp.%s in a jit function: it belongs to a program of its own", fn), "make it outside, for the program that tg.compile() makes")
	}
	text, err := variableName(fn, name)
	if err != nil {
		return nil, err
	}
	for _, r := range m.roles.list {
		if r.name == text && r.round == m.roles.round {
			_, line := t.Position(r.pos)
			return nil, vm.WithHint(vm.ValueErrorf("%s: the name %q is taken, by the %v in line %d", fn, text, r.kind, line),
				"each parameter, input, output and log has a name of its own, as in name + '.kp' in a function that makes several")
		}
	}
	r := &role{kind: kind, name: text, meta: graph.Meta{Role: kind}, task: m.Graph.Task(), pos: t.Pos(), round: m.roles.round}
	if !array.IsNone(unit) {
		var ok bool
		if r.meta.Unit, ok = unit.(string); !ok {
			return nil, vm.TypeErrorf("%s: the unit is a str, not '%s'", fn, vm.TypeName(unit))
		}
	}
	return r, nil
}

// addRole takes a checked variable into the list, in the place of an earlier one with its name.
func (m *module) addRole(n *role) {
	for i, old := range m.roles.list {
		if old.name == n.name {
			if old.kind.OfInput() {
				m.Graph.InputInfo(old.node.ID()).Name = ""
			}
			m.roles.list[i] = n
			return
		}
	}
	m.roles.list = append(m.roles.list, n)
}

// has tells names that are given to parameters, inputs, outputs and logs.
func (r *roles) has(name string) bool {
	for _, x := range r.list {
		if x.name == name {
			return true
		}
	}
	return false
}

// number is a plain number known to the script.
func (r *role) number(what string, v vm.Value) (float64, error) {
	x, ok := vm.AsFloat(v)
	if !ok || !array.IsNumber(v) {
		return 0, vm.TypeErrorf("%v: %s must be a plain number, not '%s'", r.kind, what, vm.TypeName(v))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, vm.WithHint(vm.ValueErrorf("%v: %s must be finite", r.kind, what), "leave it out where there is none")
	}
	near := graph.Nearest(r.node.DType(), x)
	if near != x && !r.node.DType().IsFloat() {
		return 0, vm.ValueErrorf("%v: %s is %v, and %q is of type %s", r.kind, what, x, r.name, array.PyType(r.node.DType()))
	}
	return near, nil
}

// limits reads low= and high=, for a variable whose node is known.
func (r *role) limits(low, high vm.Value) error {
	for _, l := range []struct {
		what string
		v    vm.Value
		to   **float64
	}{{"low", low, &r.meta.Low}, {"high", high, &r.meta.High}} {
		if array.IsNone(l.v) {
			continue
		}
		x, err := r.number(l.what, l.v)
		if err != nil {
			return err
		}
		*l.to = &x
	}
	return nil
}

func (r *role) check() error {
	if err := r.meta.Check(r.node.DType(), r.node.Shape().Elements()); err != nil {
		return vm.ValueErrorf("%v: %q: %v", r.kind, r.name, err)
	}
	return nil
}

// inputFunc is cp.param(name, value) and cp.input(name): a variable that is written from outside.
func (m *module) inputFunc(kind graph.Role) array.Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		r, err := m.newRole(t, kind, args[0], args[2])
		if err != nil {
			return nil, err
		}
		if args[1] == nil {
			args[1] = 0.0
		}
		before := m.Graph.NumNodes()
		made := vm.Args{Pos: []vm.Value{args[1]}}
		if !array.IsNone(args[5]) {
			made.Pos = append(made.Pos, args[5])
		}
		v, err := m.newValue(t, made)
		if err != nil {
			return nil, err
		}
		r.node = array.TracedNode(v)
		if !r.node.Valid() || int(r.node.ID()) < before || r.node.Op() != graph.OpInput {
			return nil, vm.WithHint(vm.TypeErrorf("%s: the value of %q must be known while the program is traced", fn, r.name), "give numbers: they are what it starts with")
		}
		if err := r.limits(args[3], args[4]); err != nil {
			return nil, err
		}
		if err := r.check(); err != nil {
			return nil, err
		}
		info := m.Graph.InputInfo(r.node.ID())
		if err := r.meta.CheckValue(r.node.DType(), info.Init); err != nil {
			return nil, vm.ValueErrorf("%s: the first value of %q: %v", fn, r.name, err)
		}
		info.Name, info.Meta = r.name, &r.meta
		m.bindings.settle(m.Graph.Node(r.node.ID()), "")
		m.addRole(r)
		return v, nil
	}
}

// lifted is a value of a program: a number, an array, or a traced one.
func (m *module) lifted(t *vm.Thread, fn string, x vm.Value) (graph.Value, error) {
	x = array.PlainNumber(x)
	if _, isScalar := x.(*array.Value); isScalar || array.IsNumber(x) {
		return m.Constant(x, array.NoFloat)
	}
	if !array.HasElements(x) {
		return graph.Value{}, vm.TypeErrorf("%s: the value must be a number, a traced value or an array of them, not '%s'", fn, vm.TypeName(x))
	}
	all, err := m.NestedTensor(t, fn, x)
	if err != nil {
		return graph.Value{}, err
	}
	return all.Lift(t, array.NoFloat)
}

// outputFunc is cp.output(name, value): what the program gives to the world. It returns the value, within
// its limits.
func (m *module) outputFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	r, err := m.newRole(t, graph.RoleOutput, args[0], args[2])
	if err != nil {
		return nil, err
	}
	m.At(t)
	if r.node, err = m.lifted(t, fn, args[1]); err != nil {
		return nil, err
	}
	if err := r.limits(args[3], args[4]); err != nil {
		return nil, err
	}
	if err := m.safeValue(t, r, args[5]); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.node, err = m.withinLimits(r); err != nil {
		return nil, m.TraceError(err)
	}
	m.addRole(r)
	return m.Wrap(r.node, nil)
}

// safeValue reads safe=, a number or an array of them.
func (m *module) safeValue(t *vm.Thread, r *role, v vm.Value) error {
	if array.IsNone(v) {
		return nil
	}
	nums := []vm.Value{v}
	if array.HasElements(v) {
		all, err := m.NestedTensor(t, "output", v)
		if err != nil {
			return err
		}
		if all.Traced() || !all.Shape().Equal(r.node.Shape()) {
			return vm.ValueErrorf("output: safe must be plain numbers of shape %v, as %q has it", r.node.Shape(), r.name)
		}
		nums = all.Plain
	}
	for _, n := range nums {
		x, err := r.number("safe", n)
		if err != nil {
			return err
		}
		r.meta.Safe = append(r.meta.Safe, x)
	}
	return nil
}

// withinLimits is the value of an output within its limits. NaN becomes the safe value or, where there
// is none, what is next to 0.
func (m *module) withinLimits(r *role) (graph.Value, error) {
	if r.meta.Low == nil && r.meta.High == nil {
		return r.node, nil
	}
	g, d, shape := m.Graph, r.node.DType(), r.node.Shape()
	fill := func(x float64) (graph.Value, error) { return g.Fill(d, shape, d.FromNumber(x)) }
	v, rest := r.node, 0.0
	if r.meta.Low != nil {
		low, err := fill(*r.meta.Low)
		if err != nil {
			return v, err
		}
		if v, err = g.Apply(graph.OpMax, v, low); err != nil {
			return v, err
		}
		rest = max(rest, *r.meta.Low)
	}
	if r.meta.High != nil {
		high, err := fill(*r.meta.High)
		if err != nil {
			return v, err
		}
		if v, err = g.Apply(graph.OpMin, v, high); err != nil {
			return v, err
		}
		rest = min(rest, *r.meta.High)
	}
	if !d.IsFloat() {
		return v, nil
	}
	instead, err := fill(rest)
	if words := r.meta.SafeWords(d, shape.Elements()); words != nil {
		instead, err = g.Const(graph.Tensor{DType: d, Shape: shape, Bits: words})
	}
	if err != nil {
		return v, err
	}
	nan, err := g.Apply(graph.OpIsNaN, r.node)
	if err != nil {
		return v, err
	}
	return g.Apply(graph.OpSelect, nan, instead, v)
}

// logFunc is cp.log(name, value): what is of interest to whoever watches. It returns the value.
func (m *module) logFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	r, err := m.newRole(t, graph.RoleLog, args[0], args[3])
	if err != nil {
		return nil, err
	}
	m.At(t)
	if r.node, err = m.lifted(t, fn, args[1]); err != nil {
		return nil, err
	}
	if !array.IsNone(args[2]) {
		n, ok := vm.AsInt(args[2])
		if !ok || n < 1 || n > math.MaxUint32 {
			return nil, vm.ValueErrorf("log: every must be a number of ticks, 1 or more")
		}
		r.meta.Every = uint32(n)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	m.addRole(r)
	return m.Wrap(r.node, nil)
}

// roles adds the outputs and logs of the script to a program.
func (c *collector) roles(m *module) {
	for _, r := range m.roles.list {
		if !r.kind.OfResult() {
			continue
		}
		c.seen[r.node.ID()] = true
		c.names[r.name]++
		c.outs = append(c.outs, compiler.Output{Name: r.name, Value: r.node, Task: r.task, Meta: r.meta})
	}
}

// limitsOf are the limits of a variable that is written, nil for none.
func (m *module) limitsOf(id graph.ID) *graph.Meta {
	if m.Graph.Node(id).Op != graph.OpInput {
		return nil
	}
	if meta := m.Graph.InputInfo(id).Meta; meta != nil && meta.Limits() != "" {
		return meta
	}
	return nil
}

// checkLimits refuses what a variable must not be given.
func (m *module) checkLimits(id graph.ID, words []uint32) error {
	meta := m.limitsOf(id)
	if meta == nil {
		return nil
	}
	if err := meta.CheckValue(m.Graph.Node(id).DType, words); err != nil {
		return vm.WithHint(vm.ValueErrorf("%s: %v", m.Graph.InputInfo(id).Name, err),
			fmt.Sprintf("the limits are those of cp.%v(%q, ...)", meta.Role, m.Graph.InputInfo(id).Name))
	}
	return nil
}
