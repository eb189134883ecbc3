package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// pick is what a subscript takes of one axis: one row, which removes the axis,
// count rows from start by step, or the rows of a list.
type pick struct {
	single             bool
	start, step, count int
	list               []int       // the rows, or nil
	by                 graph.Value // a traced index of one row, or invalid
}

func (p pick) everything(n int) bool {
	return !p.single && p.list == nil && p.start == 0 && p.step == 1 && p.count == n
}

// at is the i-th row that is taken.
func (p pick) at(i int) int {
	if p.list != nil {
		return p.list[i]
	}
	return p.start + i*p.step
}

// subscript is what a key takes of all axes.
type subscript struct {
	picks   []pick
	dims    graph.Shape // lengths of the axes that stay, those of lookups among them
	lookups []lookup
	shown   graph.Shape // dims without those of lookups, and with the new axes among them
	fancy   *fancy      // of a key with arrays of indices, or nil
}

// takesAll tells a key that takes a whole array in its order.
func (s *subscript) takesAll(of graph.Shape) bool {
	for axis, p := range s.picks {
		if s.fancy != nil || !p.everything(of[axis]) {
			return false
		}
	}
	return true
}

// Index takes ints, which may be traced, slices, lists of ints or bools, None for a new
// axis and `...` for the axes that are not named, or a tuple of them.
func (x *Tensor) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	if x.withoutAxes() {
		return nil, noAxes("cannot index")
	}
	x.m.At(t)
	if k, err := x.maskKey(key); k != nil || err != nil {
		if err != nil {
			return nil, err
		}
		part, here, err := k.block(t, x.Copied())
		return &masked{x.m, part, here}, err
	}
	ws, rest, err := x.windows(key)
	if err != nil {
		return nil, err
	}
	if ws != nil {
		rows, err := x.within(t, ws)
		if err != nil {
			return nil, err
		}
		r, err := rows.Index(t, rest)
		if y, ok := r.(*Tensor); ok && err == nil {
			y.view = nil
			return x.partOf(y, view{take: func(of *Tensor) (vm.Value, error) { return of.Index(t, key) }, part: part{locked: lookedUp}}), nil
		}
		return r, err
	}
	s, err := x.subscript(t, key)
	if err != nil {
		return nil, err
	}
	if s.fancy != nil {
		return x.gather(t, s.fancy)
	}
	r, err := x.subscripted(t, s)
	if err != nil || len(s.shown) == 0 || slices.ContainsFunc(s.picks, func(p pick) bool { return p.list != nil }) {
		return r, err
	}
	part := view{take: func(of *Tensor) (vm.Value, error) { return of.subscripted(t, s) }}
	if len(s.lookups) > 0 {
		part.locked = lookedUp
	}
	return x.partOf(r, part), nil
}

const lookedUp = "the rows were looked up: assign to them in the array, as in x[i, 0] = a"

// subscripted takes what a key without arrays of indices names.
func (x *Tensor) subscripted(t *vm.Thread, s *subscript) (vm.Value, error) {
	r, err := x.taken(t, s)
	if err == nil {
		r, err = x.m.lookUp(t, r, s.lookups)
	}
	if err == nil && len(s.lookups) > 0 && x.Traced() {
		x.m.lookedUp(r, x.Node)
	}
	if err != nil || len(s.shown) == len(s.dims)-len(s.lookups) {
		return r, err
	}
	return x.m.withShape(r, s.shown)
}

func (x *Tensor) taken(t *vm.Thread, s *subscript) (vm.Value, error) {
	switch {
	case len(s.dims) == 0:
		at := 0
		for axis, p := range s.picks {
			at = at*x.Shape()[axis] + p.start
		}
		return x.element(at)
	case x.Traced() && s.dims.Elements() > 0:
		return x.pickTraced(s.picks)
	}
	return x.pickPlain(t, s.picks, s.dims)
}

// withShape gives a number, traced scalar or tensor another shape of as many elements.
func (m *Tracer) withShape(v vm.Value, s graph.Shape) (vm.Value, error) {
	switch v := v.(type) {
	case *Tensor:
		return v.Reshaped(s)
	case *Value:
		return m.Wrap(m.Graph.Reshape(v.Node, s))
	}
	return m.PlainTensor(s, []vm.Value{v}), nil
}

// subscript resolves a key.
func (x *Tensor) subscript(t *vm.Thread, key vm.Value) (*subscript, error) {
	keys, err := x.expanded(key)
	if err != nil {
		return nil, err
	}
	if isFancy(keys) {
		return x.fancySubscript(t, keys)
	}
	s := &subscript{dims: graph.Shape{}, shown: graph.Shape{}}
	for _, k := range keys {
		if k == vm.None {
			s.shown = append(s.shown, 1)
			continue
		}
		p, err := x.pick(t, len(s.picks), k)
		if err != nil {
			return nil, err
		}
		s.picks = append(s.picks, p)
		switch {
		case p.by.Valid():
			s.lookups = append(s.lookups, lookup{len(s.dims), p.by})
			s.dims = append(s.dims, p.count)
		case !p.single:
			s.dims, s.shown = append(s.dims, p.count), append(s.shown, p.count)
		}
	}
	if len(s.shown) > graph.MaxRank {
		return nil, vm.ValueErrorf("at most %d axes are supported", graph.MaxRank)
	}
	return s, nil
}

// expanded is a key as one subscript for each axis, with None for new axes between.
func (x *Tensor) expanded(key vm.Value) ([]vm.Value, error) {
	keys := []vm.Value{key}
	if tuple, ok := key.(*vm.Tuple); ok {
		keys = tuple.Elems
	}
	named, dots := 0, -1
	for i, k := range keys {
		switch {
		case k == vm.Ellipsis && dots >= 0:
			return nil, vm.WithHint(vm.Raise(vm.IndexError, "an index can only have a single ellipsis ('...')"), "write : for an axis that is taken whole")
		case k == vm.Ellipsis:
			dots = i
		case k != vm.None:
			named += maskAxes(k)
		}
	}
	rank := len(x.Shape())
	if named > rank {
		return nil, vm.Raise(vm.IndexError, "too many indices: the %s has %d axes, but %d were indexed", vm.TypeName(x), rank, named)
	}
	rest := slices.Repeat([]vm.Value{&vm.Slice{Start: vm.None, Stop: vm.None, Step: vm.None}}, rank-named)
	if dots < 0 {
		return slices.Concat(keys, rest), nil
	}
	return slices.Concat(keys[:dots], rest, keys[dots+1:]), nil
}

// pick resolves the subscript of one axis.
func (x *Tensor) pick(t *vm.Thread, axis int, key vm.Value) (pick, error) {
	switch k := key.(type) {
	case *vm.Slice:
		start, step, count, err := k.Indices(t, x.Shape()[axis])
		return pick{start: start, step: step, count: count}, err
	case *vm.List:
		return x.pickList(axis, k.Elems)
	case *Value:
		n := x.Shape()[axis]
		return pick{step: 1, count: n, by: k.Node}, lookupIndex(k.Node, n)
	case *Tensor:
		if !k.Traced() && len(k.dims) == 1 {
			return x.pickList(axis, k.Plain)
		}
	}
	i, err := x.row1(axis, key)
	return pick{single: true, start: i, step: 1, count: 1}, err
}

// row1 resolves the index of one row.
func (x *Tensor) row1(axis int, key vm.Value) (int, error) {
	if IsTraced(key) {
		hint := "take one row after the other: cp.stack([x[i] for i in indices])"
		if k, isArray := key.(*Tensor); isArray && k.Node.DType() == graph.Bool {
			hint = "choose by element with cp.where(condition, a, b)"
		}
		return 0, vm.WithHint(vm.TypeErrorf("traced values cannot be a list of indices"), hint)
	}
	i, ok := vm.AsInt(key)
	if !ok {
		return 0, vm.TypeErrorf("%s indices must be integers or slices, not %s", vm.TypeName(x), vm.TypeName(key))
	}
	n := x.Shape()[axis]
	if i < -int64(n) || i >= int64(n) {
		if len(x.Shape()) == 1 {
			return 0, vm.Raise(vm.IndexError, "vector index out of range: the vector has %d elements", n)
		}
		return 0, vm.Raise(vm.IndexError, "index %d is out of range for axis %d, which has %d rows", i, axis, n)
	}
	if i < 0 {
		i += int64(n)
	}
	return int(i), nil
}

// pickList resolves a list of indices, or of bools that tell for each row whether it is taken.
func (x *Tensor) pickList(axis int, keys []vm.Value) (pick, error) {
	rows := make([]int, 0, len(keys))
	mask := len(keys) > 0
	for _, k := range keys {
		_, isBool := k.(bool)
		mask = mask && isBool
	}
	if n := x.Shape()[axis]; mask && len(keys) != n {
		return pick{}, vm.Raise(vm.IndexError, "%d bools index axis %d, which has %d rows", len(keys), axis, n)
	}
	for i, k := range keys {
		if mask {
			if k == true {
				rows = append(rows, i)
			}
			continue
		}
		row, err := x.row1(axis, k)
		if err != nil {
			return pick{}, err
		}
		rows = append(rows, row)
	}
	return pick{list: rows, count: len(rows)}, nil
}

func (x *Tensor) pickPlain(t *vm.Thread, picks []pick, dims graph.Shape) (vm.Value, error) {
	if err := t.Charge(32 * int64(dims.Elements())); err != nil {
		return nil, err
	}
	at, stride := []int{0}, x.Shape().Elements()
	for axis, n := range x.Shape() {
		if n > 0 {
			stride /= n
		}
		p := picks[axis]
		next := make([]int, 0, len(at)*p.count)
		for _, a := range at {
			for i := range p.count {
				next = append(next, a+p.at(i)*stride)
			}
		}
		at = next
	}
	out := make([]vm.Value, len(at))
	for i, a := range at {
		out[i] = x.Plain[a]
	}
	return emptyLike(x.m.PlainTensor(dims, out), x), nil
}

func (x *Tensor) pickTraced(picks []pick) (vm.Value, error) {
	c := x.m.chain(x.Node)
	axis := 0
	for _, p := range picks {
		switch n := c.shape()[axis]; {
		case p.single:
			c.toFront(axis)
			rest := c.shape()[1:]
			c.index(p.start)
			c.fromFront(axis, 0, rest)
			continue
		case !p.everything(n):
			c.toFront(axis)
			rest := c.shape()[1:]
			if p.list != nil {
				c.rows(p.list)
			} else {
				c.slice(p.start, p.count, p.step)
			}
			c.fromFront(axis, 1, rest)
		}
		axis++
	}
	return c.value()
}
