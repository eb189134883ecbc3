package link

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/stencils"
)

// Listing prints the program one instruction a line: offset in the code, bytes,
// stencil, registers and places in the data block.
func (r *Result) Listing(out io.Writer) error {
	w := bufio.NewWriter(out)
	line := func(from, to int, text string) {
		fmt.Fprintf(w, "%08x  %-24s  %s\n", from, hex.EncodeToString(r.Code[from:to]), text)
	}
	for i := range r.parts {
		p := &r.parts[i]
		line(int(p.start), int(p.offsets[0]), "enter")
		for k := range p.insts {
			line(int(p.offsets[k]), int(p.offsets[k+1]), r.text(&p.insts[k]))
		}
		line(int(p.offsets[len(p.insts)]), int(p.end), "leave")
	}
	for _, b := range r.blobs {
		fmt.Fprintf(w, "%08x  kernel %s, %d bytes\n", b.at, b.blob.Name, len(b.blob.Code))
	}
	return w.Flush()
}

// text is an instruction with the machine's names for registers.
func (r *Result) text(i *regalloc.Inst) string {
	f := &r.target.forms[i.Op]
	if f.kernel != nil {
		return "call " + i.Op.String()
	}
	s := f.reg
	if i.Mem {
		s = f.mem
	}
	var b strings.Builder
	b.WriteString(i.Op.String())
	sep := " "
	put := func(t string) {
		b.WriteString(sep + t)
		sep = ", "
	}
	if s.Dst != stencils.None {
		put(r.target.lib.RegName(s.Dst, i.D))
	}
	for k, c := range s.Src {
		if c != stencils.None {
			put(r.target.lib.RegName(c, [3]uint8{i.A, i.B, i.C}[k]))
		}
	}
	if n := i.Op.Operands(); i.Op.MovesTwo() && s.Src[n-1] == stencils.None {
		put(r.target.lib.RegName(s.Src[n-2], [3]uint8{i.A, i.B, i.C}[n-1])) // the one behind, without being named
	}
	switch imm := i.Op.Imm(); {
	case imm == lir.Offset:
		put(fmt.Sprintf("%#x", r.layout.offset(lir.Addr(i.Imm))))
	case imm == lir.Place || i.Mem:
		put(fmt.Sprintf("[%#x]", r.layout.offset(lir.Addr(i.Imm))))
	case imm == lir.Number:
		put(fmt.Sprintf("%+d", int32(i.Imm)))
	}
	return b.String()
}
