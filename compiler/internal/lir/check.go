package lir

import (
	"fmt"
)

// Check verifies what every pass relies on: operands are defined before they
// are used or live in memory, classes fit, results are defined once, places lie
// in their regions, and loops are well formed.
func (f *Func) Check(m *Machine) error {
	c := checker{f: f, m: m, defined: make([]bool, len(f.Values)), local: make([]int32, len(f.Values))}
	if err := f.Data.Check(); err != nil {
		return err
	}
	for v := 1; v < len(f.Values); v++ {
		if f.Values[v].Home != NoAddr {
			if err := c.home(&f.Values[v]); err != nil {
				return fmt.Errorf("lir: home of v%d: %w", v, err)
			}
		}
	}
	return c.items(f.Items)
}

type checker struct {
	f       *Func
	m       *Machine
	defined []bool
	local   []int32 // number of the block that defines the value
	block   int32
}

func (c *checker) items(items []Item) error {
	for _, it := range items {
		var err error
		switch {
		case it.Loop == nil:
			c.block++
			err = c.ins(it.Block)
		case it.Loop.Inner():
			err = c.inner(it.Loop)
		default:
			err = c.outer(it.Loop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) outer(l *Loop) error {
	if err := c.iterations(l); err != nil {
		return err
	}
	if len(l.Phis) != 0 {
		return fmt.Errorf("lir: outer loop with phis")
	}
	if err := c.addr(l.Counter, 4); err != nil {
		return fmt.Errorf("lir: loop counter: %w", err)
	}
	return c.items(l.Body)
}

func (c *checker) iterations(l *Loop) error {
	if l.Step <= 0 || l.Length <= 0 || l.Length%l.Step != 0 {
		return fmt.Errorf("lir: loop of length %d in steps of %d", l.Length, l.Step)
	}
	return nil
}

func (c *checker) inner(l *Loop) error {
	if err := c.iterations(l); err != nil {
		return err
	}
	if len(l.Phis) == 0 {
		return fmt.Errorf("lir: inner loop without a counter")
	}
	c.block++
	for i, p := range l.Phis {
		if err := c.define(p.Val); err != nil {
			return err
		}
		if p.Init != 0 && c.f.Values[p.Init].Home == NoAddr {
			return fmt.Errorf("lir: phi v%d starts from v%d, which is not in memory", p.Val, p.Init)
		}
		if (i == 0) != (p.Next == 0) {
			return fmt.Errorf("lir: phi %d: the first is the counter, and only it has no next value", i)
		}
		if p.Init != 0 && c.f.Values[p.Init].Lanes != c.f.Values[p.Val].Lanes {
			return fmt.Errorf("lir: phi v%d starts from v%d of another width", p.Val, p.Init)
		}
		if err := c.outs(&p); err != nil {
			return err
		}
	}
	if c.f.Values[l.Phis[0].Val].Class != Int {
		return fmt.Errorf("lir: loop counter of class float")
	}
	if err := c.ins(l.Body[0].Block); err != nil {
		return err
	}
	for _, p := range l.Phis[1:] {
		if c.local[p.Next] != c.block && c.f.Values[p.Next].Home == NoAddr {
			return fmt.Errorf("lir: next value v%d of v%d is neither defined in the loop nor in memory", p.Next, p.Val)
		}
		if c.f.Values[p.Next].Class != c.f.Values[p.Val].Class {
			return fmt.Errorf("lir: phi v%d and its next value v%d differ in class", p.Val, p.Next)
		}
		if c.f.Values[p.Next].Lanes != c.f.Values[p.Val].Lanes {
			return fmt.Errorf("lir: phi v%d and its next value v%d differ in width", p.Val, p.Next)
		}
	}
	return nil
}

// outs checks the values that a phi leaves after the loop.
func (c *checker) outs(p *Phi) (err error) {
	c.f.Outs(p, func(v Val) {
		switch {
		case err != nil:
		case int(v) >= len(c.f.Values) || c.f.Values[v].Wide():
			err = fmt.Errorf("lir: phi v%d leaves the loop as v%d, which is no single value", p.Val, v)
		case c.f.Values[v].Home == NoAddr:
			err = fmt.Errorf("lir: phi v%d leaves the loop as v%d, which has no home", p.Val, v)
		case c.f.Values[v].Home != c.f.Values[p.Out].Home.Plus(4*int(v-p.Out)):
			err = fmt.Errorf("lir: phi v%d leaves the loop as v%d, which is not behind v%d", p.Val, v, v-1)
		}
	})
	return err
}

// tested reports whether what instructions leave in the flags is that of a test.
func tested(ins []Ins) bool {
	for len(ins) > 0 && ins[len(ins)-1].Op.Code() == Put {
		ins = ins[:len(ins)-1]
	}
	return len(ins) > 0 && (ins[len(ins)-1].Op.Picks() || ins[len(ins)-1].Op.Tests())
}

func (c *checker) ins(b *Block) error {
	calls := false                // of kernels on single values
	var floats [MaxLanes + 1]bool // by number of lanes
	for k := range b.Ins {
		i := &b.Ins[k]
		if err := c.one(i); err != nil {
			return fmt.Errorf("lir: block %d, instruction %d (%s): %w", c.block, k, c.f.Text(i), err)
		}
		if i.Op.Picks() && !tested(b.Ins[:k]) {
			return fmt.Errorf("lir: block %d, instruction %d (%s): no test before it", c.block, k, c.f.Text(i))
		}
		calls = calls || c.m.Ops[i.Op].Kernel && Lanes(i.Op.DType()) == 1
		if t := i.Op.DType(); ClassOf(t) != Int {
			floats[Lanes(t)] = true
		}
	}
	for k := range b.Updates {
		i := &b.Updates[k]
		if err := c.one(i); err != nil {
			return fmt.Errorf("lir: block %d, update %d (%s): %w", c.block, k, c.f.Text(i), err)
		}
		if code := i.Op.Code(); code != Store && code != StoreIn {
			return fmt.Errorf("lir: block %d, update %d (%s): not a store", c.block, k, c.f.Text(i))
		}
	}
	switch {
	case calls && (floats[4] || floats[8]):
		return fmt.Errorf("lir: block %d has wide values, which do not survive its kernel calls", c.block)
	case floats[8] && (floats[1] || floats[4]):
		return fmt.Errorf("lir: block %d has values of eight lanes beside narrower ones, which are not of one speed", c.block)
	}
	return nil
}

func (c *checker) one(i *Ins) error {
	info := &c.m.Ops[i.Op]
	if !info.Valid {
		return fmt.Errorf("the architecture has no code for it")
	}
	want := OperandClasses(i.Op)
	for k, a := range i.Args() {
		if (a != 0) != (k < int(info.Operands)) {
			return fmt.Errorf("operand %d: there should be %d", k, info.Operands)
		}
		if a == 0 {
			continue
		}
		if int(a) >= len(c.f.Values) {
			return fmt.Errorf("operand v%d does not exist", a)
		}
		if c.f.Values[a].Home == NoAddr && c.local[a] != c.block {
			return fmt.Errorf("operand v%d is neither defined in this block nor in memory", a)
		}
		if c.f.Values[a].Class != want[k] {
			return fmt.Errorf("operand v%d is of the wrong class", a)
		}
		if lanes := operandLanes(i.Op, want[k]); c.f.Values[a].Lanes != lanes && !(i.Op.IsSingle(k) && c.f.Values[a].Lanes == 0) {
			return fmt.Errorf("operand v%d is of the wrong width", a)
		}
	}
	if info.MaxImm != 0 && (int32(i.Imm) < info.MinImm || int32(i.Imm) > info.MaxImm) {
		return fmt.Errorf("immediate %d, which should be from %d to %d", int32(i.Imm), info.MinImm, info.MaxImm)
	}
	if i.Op.TakesAddr() {
		if i.Op.Code() == Store && Lanes(i.Op.DType()) > 1 {
			return fmt.Errorf("a wide value is stored through a pointer only")
		}
		if err := c.addr(Addr(i.Imm), ClassOf(i.Op.DType()).Bytes()); err != nil {
			return err
		}
	}
	for _, d := range [2]Val{i.D, i.E} {
		if d == 0 {
			continue
		}
		if err := c.define(d); err != nil {
			return err
		}
		if c.f.Values[d].Class != ResultClass(i.Op) {
			return fmt.Errorf("result v%d is of the wrong class", d)
		}
		if c.f.Values[d].Lanes != operandLanes(i.Op, ResultClass(i.Op)) {
			return fmt.Errorf("result v%d is of the wrong width", d)
		}
	}
	return nil
}

func (c *checker) define(v Val) error {
	if int(v) >= len(c.f.Values) || v == 0 {
		return fmt.Errorf("lir: value v%d does not exist", v)
	}
	if c.defined[v] {
		return fmt.Errorf("lir: value v%d is defined twice", v)
	}
	c.defined[v], c.local[v] = true, c.block
	return nil
}

// addr checks a place for a value of the given size, which it is aligned to.
func (c *checker) addr(a Addr, size int) error {
	if a != NoAddr && a.Region() < NumRegions {
		if from, to := c.f.Data.Bounds(a.Region()); from <= a.Offset() && a.Offset() <= to && a.Offset()%size == 0 {
			return nil
		}
	}
	return fmt.Errorf("place %s is outside its region", a)
}

// home checks the place of a value.
func (c *checker) home(v *Value) error {
	for at := 0; at < v.HomeBytes(); at += v.Class.Bytes() {
		if err := c.addr(v.Home.Plus(at), v.Class.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// operandLanes are the lanes, as in Value, of an operand or result of a class.
func operandLanes(o Op, c Class) uint8 {
	if n := Lanes(o.DType()); n > 1 && c == Float {
		return uint8(n)
	}
	return 0
}
