package esp32c3

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	p := new(program).quiet()
	p.store(0x600c0008, 0xd).store(0x600c0058, 1<<10)
	p.loop()
	c := boot(t, p)
	c.RunFor(20 * time.Second / 100)
	s := c.State()
	t.Logf("%+v\n%s", s, c.Receive())
	require.Empty(t, c.Complaints())
}

func BenchmarkRun(b *testing.B) {
	p := new(program).quiet()
	p.store(0x600c0008, 0xd).store(0x600c0058, 1<<10)
	top := len(*p)
	p.li(t1, resultAt)
	p.lw(t2, 0, t1)
	p.emit(0x00138393) // addi t2,t2,1
	p.sw(t2, 0, t1)
	p.bne(t1, zero, top)
	c := boot(b, p)
	c.RunFor(time.Millisecond)
	before := c.cpu.Cycles
	b.ResetTimer()
	for range b.N {
		c.RunFor(time.Millisecond)
	}
	b.ReportMetric(float64(c.cpu.Cycles-before)/b.Elapsed().Seconds()/1e6, "MIPS")
}
