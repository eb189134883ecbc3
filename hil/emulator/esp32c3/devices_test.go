package esp32c3

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

// Clocks: what is selected, and how fast the CPU and the peripheral bus are then.
func TestClocks(t *testing.T) {
	for _, tt := range []struct {
		name      string
		core, sys uint32 // CPU_PER_CONF, SYSCLK_CONF
		cpu, apb  float64
	}{
		{"as the boot ROM leaves it", 0x0c, 1, 20e6, 20e6},
		{"crystal", 0x0c, 0, 40e6, 40e6},
		{"crystal by 4", 0x0c, 3, 10e6, 10e6},
		{"PLL, 80 MHz", 0x0c, 1 << 10, 80e6, 80e6},
		{"PLL, 160 MHz", 0x0d, 1 << 10, 160e6, 80e6},
	} {
		c := boot(t, quiet().Store(0x600c_0008, tt.core).Store(0x600c_0058, tt.sys).Loop())
		c.RunFor(10 * time.Microsecond)
		before := c.State()
		c.RunFor(time.Millisecond)
		after := c.State()
		require.Equal(t, tt.cpu, after.Hz, tt.name)
		require.InEpsilon(t, tt.cpu/1000, after.Cycles-before.Cycles, 1e-3, tt.name)
		require.InEpsilon(t, 1e6, after.NS-before.NS, 1e-3, tt.name)
		require.Equal(t, tt.apb, second/float64(c.apbPeriod()), tt.name)
		require.Empty(t, c.Complaints(), tt.name)
	}
}

// value appends a program's read of unit 0: t2 has the low word.
func value(p *rv.Program) *rv.Program {
	p.Store(0x6002_3004, tmUpdate)
	wait := p.Here()
	p.Load(rv.T2, 0x6002_3004).LI(rv.T1, tmValid).Emit(0x0063_f3b3 /* and t2, t2, t1 */).BEQ(rv.T2, rv.Zero, wait)
	return p.Load(rv.T2, 0x6002_3044)
}

// The system timer counts 16 to a microsecond, from what it is loaded with; a unit that is stopped keeps its value.
func TestSysTimer(t *testing.T) {
	p := fast(quiet()).Store(0x6002_300c, 1).Store(0x6002_3010, 0xffff_f000).Store(0x6002_305c, 1)
	value(p).Keep(rv.T2, resultAt)
	p.LI(rv.S0, 1600) // some 10 us
	top := p.Here()
	p.ADDI(rv.S0, rv.S0, 0xfff).Emit(0x13).BNE(rv.S0, rv.Zero, top)
	value(p).Keep(rv.T2, resultAt+4).Load(rv.T2, 0x6002_3040).Keep(rv.T2, resultAt+8)
	p.Store(0x6002_3000, 0)
	value(p).Keep(rv.T2, resultAt+12)
	value(p).Keep(rv.T2, resultAt+16).Loop()
	c := boot(t, p)
	c.RunFor(time.Millisecond)
	require.Empty(t, c.Complaints())
	require.Less(t, c.result(0)-0xffff_f000, uint32(20))
	require.InDelta(t, 4800/10, float64(c.result(1)-c.result(0)), 20)
	require.EqualValues(t, 1, c.result(2))
	require.Equal(t, c.result(3), c.result(4))
}

// interrupted has a program whose handler of interrupt 5 adds 1 to s1, and stores what it is for.
func interrupted(enable func(p *rv.Program), acknowledge func(p *rv.Program)) *rv.Program {
	p := quiet()
	over := p.Here()
	p.Emit(0) // a jump over the vector
	for p.Here()%64 != 0 {
		p.Emit(0)
	}
	vector := p.Here()
	for range 32 {
		p.Emit(0)
	}
	handler := p.Here()
	acknowledge(p)
	p.ADDI(rv.S1, rv.S1, 1).CSRR(rv.A0, 0x342).Keep(rv.A0, resultAt).Keep(rv.S1, resultAt+4).MRET()
	start := p.Here()
	(*p)[over] = jump(over, start)
	(*p)[vector+5] = jump(vector+5, handler)
	p.LI(rv.S1, 0).LI(rv.A0, uint32(codeAt+4*vector)).CSRW(0x305, rv.A0)
	enable(p)
	p.Store(0x600c_2114+4*5, 3).Store(0x600c_2194, 1).Store(0x600c_2104, 1<<5)
	p.LI(rv.A0, 8).Emit(0x3005_2073) // csrs mstatus, a0
	top := p.Here()
	return p.WFI().J(top)
}

func jump(from, to int) uint32 {
	p := make(rv.Program, from)
	return (*p.J(to))[from]
}

// Alarms of the system timer: once, at its time, or at once where that has passed; again and again in period mode.
func TestAlarms(t *testing.T) {
	acknowledge := func(p *rv.Program) { p.Store(0x6002_306c, 1) }
	for _, tt := range []struct {
		name         string
		target, conf uint32
		after        time.Duration // nothing before
		count        uint32        // after 3 ms more
	}{
		{"once", 16 * 1000, 0, 900 * time.Microsecond, 1},
		{"passed", 1, 0, 0, 1},
		{"every 500 us", 0, 1<<30 | 8000, 450 * time.Microsecond, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := boot(t, interrupted(func(p *rv.Program) {
				p.Store(0x6002_3020, tt.target).Store(0x6002_3034, tt.conf).Store(0x6002_3050, 1).Store(0x6002_3000, 1<<31|1<<30|1<<24)
				p.Store(0x6002_3064, 1).Store(0x600c_2000+4*sourceSysTimer, 5).Store(resultAt+4, 0)
			}, acknowledge))
			c.RunFor(tt.after)
			if tt.after > 0 {
				require.Zero(t, c.result(1))
			}
			c.RunFor(3 * time.Millisecond)
			require.EqualValues(t, uint32(1<<31|5), c.result(0))
			require.InDelta(t, tt.count, c.result(1), float64(tt.count/3))
			require.Empty(t, c.Complaints())
		})
	}
}

// Interrupts are led by number, priority and threshold; an edge is remembered, a level is not.
func TestMatrix(t *testing.T) {
	const from0, from1 = 0x028, 0x02c // of SYSTEM
	set := func(m *matrix, offset, value uint32) { m.block.write(m.block.at(offset), value) }
	raise := func(c *Chip, offset, value uint32) { c.system.block.write(c.system.block.at(offset), value) }
	c := boot(t, quiet().Loop())
	m := c.matrix
	set(m, 4*sourceFromCPU, 7)
	set(m, 4*(sourceFromCPU+1), 9)
	set(m, matrixEnable, 1<<7|1<<9)
	set(m, matrixLimit, 2)
	for _, tt := range []struct {
		name         string
		p7, p9, want uint32
	}{
		{"higher priority", 3, 4, 9},
		{"lower number of equals", 4, 4, 7},
		{"below the threshold", 1, 1, 0},
		{"at the threshold", 1, 2, 9},
	} {
		set(m, matrixPriority+4*7, tt.p7)
		set(m, matrixPriority+4*9, tt.p9)
		raise(c, from0, 1)
		raise(c, from1, 1)
		require.Equal(t, tt.want, m.interrupt(), tt.name)
		require.EqualValues(t, 3<<(sourceFromCPU-32), m.block.read(m.block.at(matrixStatus+4)), tt.name)
		raise(c, from0, 0)
		raise(c, from1, 0)
		require.Zero(t, m.interrupt(), tt.name)
	}
	set(m, matrixType, 1<<9)
	raise(c, from1, 1)
	require.EqualValues(t, 9, m.interrupt())
	raise(c, from1, 0)
	require.EqualValues(t, 9, m.interrupt(), "an edge")
	set(m, matrixClear, 1<<9)
	require.Zero(t, m.interrupt())
	raise(c, from1, 1)
	require.EqualValues(t, 9, m.interrupt())
	set(m, matrixClear, 1<<9)
	require.Zero(t, m.interrupt(), "no further edge")
}

// What the boot ROM leaves running resets the chip if nobody stops it, what is started later if nobody feeds it; each with its cause.
func TestWatchdogs(t *testing.T) {
	const group0, group1 = 0x6001_f000, 0x6002_0000
	start := func(group, hold, conf uint32) *rv.Program {
		p := fast(quiet()).Store(group+0x64, watchdogKey).Store(group+0x4c, 40000<<16).Store(group+0x50, hold).Store(group+0x54, 5)
		return p.Store(group+0x60, 1).Store(group+0x48, conf|mwdtEnable|mwdtUpdate)
	}
	rtc := func(conf uint32) *rv.Program {
		return quiet().Store(0x6000_8094, 136*50).Store(0x6000_80a4, 1<<31).Store(0x6000_8090, conf)
	}
	for _, tt := range []struct {
		name          string
		program       *rv.Program
		before, after time.Duration
		causes        []uint32
	}{
		{"nothing runs", quiet().Loop(), 10 * time.Second, 10 * time.Second, nil},
		{"all that the ROM leaves", new(rv.Program).Loop(), 900 * time.Millisecond, 1100 * time.Millisecond, []uint32{0x12}},
		{"group 0, by the bus at 20 MHz", new(rv.Program).Store(0x6000_80b0, swdKey).Store(0x6000_80ac, 1<<30).Loop(),
			1200 * time.Millisecond, 1400 * time.Millisecond, []uint32{0x07}},
		{"the RTC's", new(rv.Program).Store(0x6000_80b0, swdKey).Store(0x6000_80ac, 1<<31).
			Store(group0+0x64, watchdogKey).Store(group0+0x48, mwdtUpdate).Loop(),
			2800 * time.Millisecond, 3000 * time.Millisecond, []uint32{0x10}},
		{"flash boot off, but not taken over", quiet().
			Store(group0+0x64, watchdogKey).Store(group0+0x48, mwdtFlashBoot|mwdtUpdate).Store(group0+0x48, 0).Loop(),
			1200 * time.Millisecond, 1400 * time.Millisecond, []uint32{0x07}},
		{"group 0 resets the core, counting the crystal", start(group0, 100, 3<<29|mwdtUseXTAL).Loop(),
			99 * time.Millisecond, 102 * time.Millisecond, []uint32{0x07}},
		{"group 0, counting the bus", start(group0, 100, 3<<29).Loop(), 49 * time.Millisecond, 52 * time.Millisecond, []uint32{0x07}},
		{"group 0 resets the CPU at stage 1", start(group0, 100, 2<<27|mwdtUseXTAL).Loop(), 104 * time.Millisecond, 107 * time.Millisecond, []uint32{0x0b}},
		{"group 1", start(group1, 100, 3<<29|mwdtUseXTAL).Loop(), 99 * time.Millisecond, 102 * time.Millisecond, []uint32{0x08}},
		{"off again", start(group0, 100, 3<<29).Store(group0+0x48, mwdtUpdate).Loop(), time.Second, time.Second, nil},
		{"the RTC's, core", rtc(rwdtEnable | 3<<28).Loop(), 99 * time.Millisecond, 102 * time.Millisecond, []uint32{0x09}},
		{"the RTC's, CPU", rtc(rwdtEnable | 2<<28).Loop(), 99 * time.Millisecond, 102 * time.Millisecond, []uint32{0x0d}},
		{"the RTC's, everything", rtc(rwdtEnable | 4<<28).Loop(), 99 * time.Millisecond, 102 * time.Millisecond, []uint32{0x10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asleep := append(rv.Program{}, (*tt.program)[:len(*tt.program)-1]...)
			c := boot(t, asleep.WFI().Loop())
			c.RunFor(tt.before)
			require.Empty(t, c.State().Causes)
			c.RunFor(tt.after - tt.before)
			require.Equal(t, tt.causes, c.State().Causes)
			require.Empty(t, c.Complaints())
		})
	}
}

// Feeding a watchdog keeps it from resetting anything.
func TestFeeding(t *testing.T) {
	p := fast(quiet()).Store(0x6001_f064, watchdogKey).Store(0x6001_f04c, 40000<<16).Store(0x6001_f050, 5).Store(0x6001_f060, 1)
	p.Store(0x6001_f048, 7<<29|mwdtUseXTAL|mwdtUpdate)
	top := p.Here()
	p.Store(0x6001_f060, 1).J(top)
	c := boot(t, p)
	c.RunFor(50 * time.Millisecond)
	require.Zero(t, c.State().Resets)
	require.Empty(t, c.Complaints())
}

// A reset of the core keeps the RTC's registers and the memory that the image does not lie in; the program learns its cause.
func TestResets(t *testing.T) {
	p := quiet().Load(rv.A0, 0x6000_8038).Keep(rv.A0, resultAt).Load(rv.A0, 0x6000_8050).Keep(rv.A0, resultAt+4)
	p.Load(rv.A0, 0x6002_3064).Keep(rv.A0, resultAt+8)
	p.Load(rv.A0, resultAt+12).ADDI(rv.A0, rv.A0, 1).Keep(rv.A0, resultAt+12)
	p.Store(0x6000_8050, 77).Store(0x6002_3064, 5)
	p.Load(rv.A0, 0x6000_8038).ANDI(rv.A0, rv.A0, 0x3f).ADDI(rv.A0, rv.A0, 0xfff)
	end := p.Here() + 7
	p.BNE(rv.A0, rv.Zero, end).Store(0x6000_8000, 0x9c00_a000).Loop()
	require.Equal(t, end-1, p.Here()-1)
	p.Loop()
	c := boot(t, p)
	c.RunFor(time.Microsecond)
	runs := c.result(3)
	c.RunFor(time.Millisecond)
	require.Equal(t, []uint32{0x03}, c.State().Causes)
	require.EqualValues(t, 3<<12|0x03, c.result(0))
	require.EqualValues(t, 77, c.result(1))
	require.Zero(t, c.result(2), "devices start anew")
	require.Equal(t, runs+2, c.result(3))
	c.Reset()
	c.RunFor(time.Millisecond)
	require.EqualValues(t, 3<<12|0x15, c.result(0))
	require.Empty(t, c.Complaints())
	require.Equal(t, 3, bytes.Count(c.Receive(), []byte("ESP-ROM:")))
}
