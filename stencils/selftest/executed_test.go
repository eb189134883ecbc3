package selftest

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// executed holds the stencils that a test has run, by stencilID, and skipped whether a
// library could not be.
var (
	executed sync.Map
	skipped  atomic.Bool
)

// TestMain fails a run of all tests that left a stencil out.
func TestMain(m *testing.M) {
	code := m.Run()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""
	if code == 0 && all && !skipped.Load() {
		if left := notExecuted(); len(left) > 0 {
			fmt.Printf("FAIL: stencils that no test has executed: %v\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

func notExecuted() (left []string) {
	for _, arch := range stencils.Archs() {
		lib, err := stencils.Load(arch)
		if err != nil {
			return []string{err.Error()}
		}
		for _, s := range lib.Stencils() {
			id := stencilID(arch, s)
			if _, ok := executed.Load(id); !ok {
				left = append(left, id)
			}
		}
	}
	return left
}

func stencilID(arch string, s *stencils.Stencil) string {
	return fmt.Sprintf("%s %s.%s.%s %s", arch, s.Op, s.DType, s.Form, s.Feature)
}

func (b *bench) note(s *stencils.Stencil) { executed.Store(stencilID(b.lib.Arch, s), true) }

// emit appends the code of a stencil that is about to be executed.
func (b *bench) emit(code []byte, s *stencils.Stencil, regs [4]uint8, imm int32) []byte {
	b.note(s)
	return s.Emit(code, regs[0], regs[1], regs[2], regs[3], imm)
}
