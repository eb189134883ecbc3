package bytecode

import (
	"fmt"
	"strconv"
)

func formatKey(f float64) string { return strconv.FormatFloat(f, 'x', -1, 64) }

// effect describes how an instruction changes the depth of the stack: by
// next where it falls through, by jump where it jumps. Those whose effect
// depends on the argument have fn instead.
type effect struct {
	next  int
	jumps bool
	jump  int
	ends  bool // never falls through
	fn    func(c *Code, arg int) int
}

func perArg(k, plus int) effect {
	return effect{fn: func(_ *Code, arg int) int { return k*arg + plus }}
}

var effects = [NumOps]effect{
	LoadConst: {next: 1}, LoadLocal: {next: 1}, StoreLocal: {next: -1}, LoadCell: {next: 1}, StoreCell: {next: -1},
	LoadGlobal: {next: 1}, StoreGlobal: {next: -1}, LoadName: {next: 1}, StoreName: {next: -1},
	Pop: {next: -1}, PopUnder: {next: -1}, Dup: {next: 1}, Dup2: {next: 2},
	BinaryOp: {next: -1}, InplaceOp: {next: -1}, CompareOp: {next: -1}, Is: {next: -1}, Contains: {next: -1},
	ChainBegin: {next: 1}, ChainNext: {next: -1, jumps: true, jump: -2}, ChainEnd: {next: -1},
	Jump: {jumps: true, ends: true}, JumpIfFalse: {next: -1, jumps: true, jump: -1}, JumpIfTrue: {next: -1, jumps: true, jump: -1},
	JumpIfFalseKeep: {next: -1, jumps: true}, JumpIfTrueKeep: {next: -1, jumps: true},
	CondBegin: {jumps: true, jump: 1}, CondElse: {jumps: true, jump: -1}, CondEnd: {next: -2},
	ForIter: {next: 1, jumps: true, jump: -1}, Unpack: perArg(1, -1),
	UnpackStar: {fn: func(_ *Code, arg int) int { return arg&maxUnpack + arg>>12 }},
	BuildTuple: perArg(-1, 1), BuildList: perArg(-1, 1), BuildSet: perArg(-1, 1), BuildDict: perArg(-2, 1),
	BuildSlice: perArg(-1, 1), BuildString: perArg(-1, 1), Format: {fn: func(_ *Code, arg int) int { return -(arg >> 8) }},
	ListAppend: {next: -1}, ListExtend: {next: -1}, SetAdd: {next: -1}, SetUpdate: {next: -1}, DictSet: {next: -2}, DictUpdate: {next: -1},
	StoreAttr: {next: -2}, DelAttr: {next: -1}, LoadIndex: {next: -1}, StoreIndex: {next: -3}, DelIndex: {next: -2},
	LoadMethod: {next: 1}, CallFunc: {fn: callEffect}, CallMethod: {fn: func(c *Code, arg int) int { return callEffect(c, arg) - 1 }},
	CallSpread: {next: -2},
	MakeFunction: {fn: func(c *Code, arg int) int {
		return 1 - c.Children[arg].NumDefaults - len(c.Children[arg].KwDefaults)
	}},
	Return: {next: -1, ends: true}, YieldFrom: {next: -1},
	Raise: {fn: func(_ *Code, arg int) int { return -arg }, ends: true}, PopExc: {next: -2}, Reraise: {ends: true},
	CleanupExc: {ends: true}, EndFinally: {next: -3}, PopFinally: {next: -3}, CleanupFinally: {ends: true},
	WithEnter: {next: 1}, WithExit: {next: -1}, WithExitExc: {next: -3}, AssertFail: {ends: true},
	MakeClass: {next: -1}, Match: {fn: func(c *Code, arg int) int { return 2 - c.Patterns[arg].NumValues }},
	Import: {next: 1}, ImportFrom: {next: 1}, ImportStar: {next: -1},
}

func callEffect(c *Code, arg int) int {
	s := &c.Calls[arg]
	return -s.NumPos - len(s.Kw)
}

// maxStack follows every path through the code. All paths to an instruction
// must agree on the depth.
func maxStack(c *Code) int {
	depth := make([]int, len(c.Instrs))
	for i := range depth {
		depth[i] = -1
	}
	deepest := 0
	var work []int
	visit := func(pc, d int) {
		deepest = max(deepest, d)
		if depth[pc] < 0 {
			depth[pc] = d
			work = append(work, pc)
		} else if depth[pc] != d {
			panic(fmt.Sprintf("%s: instruction %d is reached with stack depths %d and %d", c.QualName, pc, depth[pc], d))
		}
	}
	visit(0, 0)
	for _, h := range c.Handlers {
		visit(h.Target, h.Depth+2)
	}
	for len(work) > 0 {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		in, d := c.Instrs[pc], depth[pc]
		e := &effects[in.Op()]
		if e.jumps {
			visit(in.Arg(), d+e.jump)
		}
		if in.Op() == EndFinally {
			for _, target := range c.Exits[in.Arg()] {
				visit(target, d-2) // the payload stays
			}
		}
		if e.ends {
			continue
		}
		next := e.next
		if e.fn != nil {
			next = e.fn(c, in.Arg())
		}
		visit(pc+1, d+next)
	}
	return deepest + 4 // a handler's two words, and scratch space of the machine
}
