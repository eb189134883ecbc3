package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// chain builds array ops one after the other and keeps the first error. The ops
// of the graph work on axis 0, and transposing on two axes; chain has the others
// made of those.
type chain struct {
	m   *Tracer
	v   graph.Value
	err error
}

func (m *Tracer) chain(v graph.Value) *chain { return &chain{m: m, v: v} }

func (c *chain) value() (vm.Value, error) { return c.m.Wrap(c.v, c.err) }

func (c *chain) shape() graph.Shape { return c.v.Shape() }

func (c *chain) set(v graph.Value, err error) {
	if c.err == nil && err == nil {
		c.v = v
	} else if c.err == nil {
		c.err = err
	}
}

func (c *chain) reshape(s ...int)                 { c.set(c.m.Graph.Reshape(c.v, graph.Shape(s))) }
func (c *chain) transpose()                       { c.set(c.m.Graph.Transpose(c.v)) }
func (c *chain) index(i int)                      { c.set(c.m.Graph.Index(c.v, i)) }
func (c *chain) slice(start, count, step int)     { c.set(c.m.Graph.Slice(c.v, start, count, step)) }
func (c *chain) apply(op graph.Op, w graph.Value) { c.set(c.m.Graph.Apply(op, c.v, w)) }

// toFront rotates the axes so that axis is the first: those before it become the
// last. One transpose does it, since a row of an array may have any shape.
func (c *chain) toFront(axis int) {
	s := slices.Clone(c.shape())
	if axis == 0 {
		return
	}
	c.reshape(s[:axis].Elements(), s[axis:].Elements())
	c.transpose()
	c.reshape(slices.Concat(s[axis:], s[:axis])...)
}

// fromFront undoes toFront(axis) after the front axis was replaced by front new
// ones, none or one; rest is the shape that followed it.
func (c *chain) fromFront(axis, front int, rest graph.Shape) {
	if axis == 0 {
		return
	}
	after, before := rest[:len(rest)-axis], rest[len(rest)-axis:]
	lead := slices.Concat(c.shape()[:front], after)
	c.reshape(lead.Elements(), before.Elements())
	c.transpose()
	c.reshape(slices.Concat(before, lead)...)
}

// permute puts the axes into an order.
func (c *chain) permute(axes []int) {
	if c.err != nil || slices.IsSorted(axes) {
		return
	}
	s, first := slices.Clone(c.shape()), axes[0]
	c.toFront(first)
	rest := make([]int, len(axes)-1) // the order among the axes after the front one
	sorted := true
	for i, a := range axes[1:] {
		if rest[i] = a - first - 1; a < first {
			rest[i] = len(s) - first - 1 + a
		}
		sorted = sorted && rest[i] == i
	}
	if sorted {
		return
	}
	// Not a rotation: each row by itself.
	whole := c.v
	rows := make([]graph.Value, s[first])
	for i := range rows {
		r := c.m.chain(whole)
		r.index(i)
		r.permute(rest)
		r.reshape(slices.Concat(graph.Shape{1}, r.shape())...)
		if c.err = r.err; c.err != nil {
			return
		}
		rows[i] = r.v
	}
	c.set(c.m.Graph.Concat(rows...))
}

// rows takes rows of the first axis in any order, as slices of those that follow
// each other at one distance.
func (c *chain) rows(list []int) {
	whole := c.v
	var parts []graph.Value
	for len(list) > 0 {
		count, step := 1, 1
		if len(list) > 1 && list[1] != list[0] {
			for step = list[1] - list[0]; count < len(list) && list[count]-list[count-1] == step; {
				count++
			}
		}
		part := c.m.chain(whole)
		if part.slice(list[0], count, step); part.err != nil {
			c.set(part.v, part.err)
			return
		}
		parts, list = append(parts, part.v), list[count:]
	}
	c.set(c.m.Graph.Concat(parts...))
}
