package vm

import (
	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Marks below the sides of a conditional expression.
var (
	condTrue  Value = &cell{}
	condFalse Value = &cell{}
)

// loop is the instruction loop. Every instruction leaves f.pc at itself, so
// that errors and host values find the position; f.sp is kept by f itself.
func (t *Thread) loop(f *frame) (Value, error) {
	code := f.prog.Instrs
	stack := f.stack
	sp := f.sp
	pc := f.pc
	f.yielded = false
	var err error
	for {
		in := code[pc]
		f.pc = pc
		pc++
		t.fuel--
		if t.fuel < 0 {
			if err = t.refuel(); err != nil {
				f.sp = sp
				return nil, err
			}
		}
		switch in.Op() {
		case bc.Nop, bc.ChainOp:

		case bc.LoadConst:
			stack[sp] = f.prog.consts[in.Arg()]
			sp++
		case bc.LoadLocal:
			v := f.locals[in.Arg()]
			if v == nil {
				f.sp = sp
				return nil, f.unbound(in.Op(), in.Arg())
			}
			stack[sp] = v
			sp++
		case bc.StoreLocal:
			sp--
			f.locals[in.Arg()] = stack[sp]
			if t.binding != nil {
				t.binding(f.prog.Locals[in.Arg()], stack[sp])
			}
			stack[sp] = nil
		case bc.LoadGlobal:
			var v Value
			if c := f.prog.globals[in.Arg()]; c != nil && c.v != nil {
				v = c.v
			} else if v = t.loadGlobal(f, in.Arg()); v == nil {
				f.sp = sp
				return nil, t.undefined(f, in.Arg())
			}
			stack[sp] = v
			sp++
		case bc.StoreGlobal:
			c := f.prog.globals[in.Arg()]
			if c == nil {
				c = f.globals.cell(f.prog.Names[in.Arg()])
				f.prog.globals[in.Arg()] = c
			}
			sp--
			c.v = stack[sp]
			if t.binding != nil {
				t.binding(f.prog.Names[in.Arg()], stack[sp])
			}
			stack[sp] = nil
		case bc.LoadCell:
			v := f.cells[in.Arg()].v
			if v == nil {
				f.sp = sp
				return nil, f.unbound(in.Op(), in.Arg())
			}
			stack[sp] = v
			sp++
		case bc.StoreCell:
			sp--
			f.cells[in.Arg()].v = stack[sp]
			if t.binding != nil {
				t.binding(f.cellName(in.Arg()), stack[sp])
			}
			stack[sp] = nil

		case bc.Pop:
			sp--
			stack[sp] = nil
		case bc.PopUnder:
			sp--
			stack[sp-1] = stack[sp]
			stack[sp] = nil
		case bc.Dup:
			stack[sp] = stack[sp-1]
			sp++
		case bc.Dup2:
			stack[sp], stack[sp+1] = stack[sp-2], stack[sp-1]
			sp += 2
		case bc.Rot2:
			stack[sp-1], stack[sp-2] = stack[sp-2], stack[sp-1]
		case bc.Rot3:
			stack[sp-1], stack[sp-2], stack[sp-3] = stack[sp-2], stack[sp-3], stack[sp-1]

		case bc.BinaryOp:
			a, b := stack[sp-2], stack[sp-1]
			var v Value
			if h, ok := a.(Operand); ok {
				v, err = t.hostBinary(BinaryOp(in.Arg()), h, a, b)
			} else {
				v, err = t.Binary(BinaryOp(in.Arg()), a, b)
			}
			if err != nil {
				f.sp = sp
				return nil, err
			}
			sp--
			stack[sp] = nil
			stack[sp-1] = v
		case bc.InplaceOp:
			op, a, b := BinaryOp(in.Arg()&^bc.InplaceElement), stack[sp-2], stack[sp-1]
			ofArray := false
			if in.Arg()&bc.InplaceElement != 0 {
				_, ofArray = stack[sp-4].(IndexSetter)
			}
			var v Value
			var err error
			if ofArray { // StoreIndex gives it to the array
				v, err = t.Binary(op, a, b)
			} else {
				v, err = t.inplace(op, a, b)
			}
			if err != nil {
				f.sp = sp
				return nil, err
			}
			sp--
			stack[sp] = nil
			stack[sp-1] = v
		case bc.CompareOp:
			v, err := t.Compare(CompareOp(in.Arg()), stack[sp-2], stack[sp-1])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			sp--
			stack[sp] = nil
			stack[sp-1] = v
		case bc.UnaryOp:
			v, err := t.Unary(UnaryOp(in.Arg()), stack[sp-1])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			stack[sp-1] = v
		case bc.Is:
			same := identical(stack[sp-2], stack[sp-1])
			sp--
			stack[sp] = nil
			stack[sp-1] = same != (in.Arg() == 1)

		case bc.Jump:
			pc = in.Arg()
		case bc.JumpIfFalse, bc.JumpIfTrue:
			truth, isBool := stack[sp-1].(bool)
			if !isBool {
				if truth, err = t.Truth(stack[sp-1]); err != nil {
					f.sp = sp
					return nil, err
				}
			}
			sp--
			stack[sp] = nil
			if truth == (in.Op() == bc.JumpIfTrue) {
				pc = in.Arg()
			}
		case bc.JumpIfFalseKeep, bc.JumpIfTrueKeep:
			truth, err := t.Truth(stack[sp-1])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			if truth == (in.Op() == bc.JumpIfTrueKeep) {
				pc = in.Arg()
			} else {
				sp--
				stack[sp] = nil
			}

		case bc.ForIter:
			var v Value
			if r, ok := stack[sp-1].(*rangeIter); ok {
				if r.left > 0 {
					v = box(r.next)
					r.next += r.step
					r.left--
				}
			} else if v, err = stack[sp-1].(Iterator).Next(t); err != nil {
				f.sp = sp
				return nil, err
			}
			if v == nil {
				sp--
				stack[sp] = nil
				pc = in.Arg()
			} else {
				stack[sp] = v
				sp++
			}

		case bc.LoadAttr:
			v, err := t.Attr(stack[sp-1], f.prog.Names[in.Arg()])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			stack[sp-1] = v
		case bc.LoadIndex:
			v, err := t.Index(stack[sp-2], stack[sp-1])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			sp--
			stack[sp] = nil
			stack[sp-1] = v
		case bc.LoadMethod:
			fn, self, err := t.loadMethod(stack[sp-1], f.prog.Names[in.Arg()])
			if err != nil {
				f.sp = sp
				return nil, err
			}
			stack[sp-1], stack[sp] = fn, self
			sp++

		case bc.CallFunc, bc.CallMethod:
			site := &f.prog.Calls[in.Arg()]
			base := sp - site.NumPos - len(site.Kw)
			fn := base - 1
			if in.Op() == bc.CallMethod {
				if fn--; stack[fn+1] != nil {
					base--
				}
			}
			f.sp = sp
			v, err := t.callSite(f, site, stack[fn], stack[base:sp:sp])
			if err != nil {
				return nil, err
			}
			for i := fn + 1; i < sp; i++ { // few: clear takes longer
				stack[i] = nil
			}
			stack[fn] = v
			sp = fn + 1

		case bc.BuildTuple, bc.BuildList:
			n := in.Arg()
			if err := t.Charge(int64(n)*valueBytes + 24); err != nil {
				f.sp = sp
				return nil, err
			}
			elems := make([]Value, n)
			copy(elems, stack[sp-n:sp])
			clear(stack[sp-n : sp])
			sp -= n
			if in.Op() == bc.BuildTuple {
				stack[sp] = &Tuple{elems}
			} else {
				stack[sp] = &List{elems}
			}
			sp++

		case bc.Return:
			sp--
			v := stack[sp]
			f.sp = sp
			return v, nil
		case bc.Yield:
			sp--
			v := stack[sp]
			stack[sp] = nil
			f.sp, f.pc, f.yielded = sp, pc, true
			return v, nil
		case bc.YieldFrom:
			v, result, err := t.delegate(stack[sp-2], stack[sp-1])
			sp--
			stack[sp] = nil
			if err != nil {
				f.sp = sp
				return nil, err
			}
			if v != nil {
				f.sp, f.yielded = sp, true // runs this instruction again
				return v, nil
			}
			stack[sp-1] = result

		case bc.ChainNext:
			word := code[pc]
			done, result, err := t.chainNext(stack[sp-3:sp], syntax.RelationKind(word.Arg()>>8), CompareOp(word.Arg()&255))
			if err != nil {
				f.sp = sp
				return nil, err
			}
			sp--
			stack[sp] = nil
			if done {
				sp--
				stack[sp] = nil
				stack[sp-1] = result
				pc = in.Arg()
			}
		case bc.CondBegin:
			v := stack[sp-1]
			if _, ok := v.(Selector); ok {
				continue
			}
			truth, err := t.Truth(v)
			if err != nil {
				f.sp = sp
				return nil, err
			}
			if truth {
				stack[sp-1] = condTrue
			} else {
				stack[sp-1], stack[sp] = condFalse, None
				sp++
				pc = in.Arg()
			}
		case bc.CondElse:
			if stack[sp-2] == condTrue {
				sp--
				stack[sp-1] = stack[sp]
				stack[sp] = nil
				pc = in.Arg()
			}
		case bc.CondEnd:
			v := stack[sp-1]
			if stack[sp-3] != condFalse {
				if v, err = stack[sp-3].(Selector).Select(t, stack[sp-2], v); err != nil {
					f.sp = sp
					return nil, err
				}
			}
			sp -= 2
			stack[sp], stack[sp+1] = nil, nil
			stack[sp-1] = v

		default:
			f.sp = sp
			if err := rare[in.Op()](t, f, in.Arg()); err != nil {
				return nil, err
			}
			sp, pc = f.sp, f.pc+1
		}
	}
}

// valueBytes is what an element of a container is charged with: the
// interface and, on average, half of a boxed number.
const valueBytes = 16 + boxedBytes

// boxedBytes is the part of it that does not lie in the container itself.
const boxedBytes = 8
