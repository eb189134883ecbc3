package esp32c3

import (
	"testing"
	"time"

	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

func BenchmarkRun(b *testing.B) {
	p := fast(quiet())
	top := p.Here()
	p.LI(rv.T1, resultAt).LW(rv.T2, 0, rv.T1).ADDI(rv.T2, rv.T2, 1).SW(rv.T2, 0, rv.T1).BNE(rv.T1, rv.Zero, top)
	c := boot(b, p)
	c.RunFor(time.Millisecond)
	before := c.cpu.Cycles
	b.ResetTimer()
	for range b.N {
		c.RunFor(time.Millisecond)
	}
	b.ReportMetric(float64(c.cpu.Cycles-before)/b.Elapsed().Seconds()/1e6, "MIPS")
}
