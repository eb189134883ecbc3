//go:build linux

package emulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator/qtest"
	"github.com/copaflash/copaflash/protocol/packet"
)

// storing are boards whose flash memory QEMU has.
var storing = []string{"microbit", "virt-a15", "virt-a53", "riscv-virt32", "riscv-virt64"}

// records are those of a program that counts the ticks of its loop, a thousand a second.
func (c *client) records() (records []byte) {
	c.t.Helper()
	code := c.isa.counter
	begin := &packet.BeginRequest{Arch: c.isa.arch, CodeLength: uint32(len(code)), BSSLength: 64, Entries: []uint32{0}}
	digest := begin.Sum(code, nil, nil)
	begin.Digest = digest[:]
	note, err := packet.EncodeStoreNote(&packet.StoreNote{Name: []byte("counter")})
	require.NoError(c.t, err)
	records = packet.AppendRecord(records, note)
	for _, r := range []packet.Request{
		begin, &packet.ChunkRequest{Region: packet.RegionCode, Bytes: code}, &packet.SealRequest{},
		&packet.StartRequest{Period: c.hz / 1000, Tasks: []uint32{0, 1}, Limit: patient(c.hz)},
	} {
		body, err := packet.EncodeRequest(r)
		require.NoError(c.t, err)
		records = packet.AppendRecord(records, body)
	}
	return records
}

func (c *client) store(r packet.StoreRequest, want packet.Status) *packet.StoreResponse {
	c.t.Helper()
	resp := c.ask(&r).(*packet.StoreResponse)
	require.Equal(c.t, want, resp.Status, "%v at %d", r.Action, r.Offset)
	return resp
}

// keep stores records.
func (c *client) keep(records []byte, flags packet.StoreFlags) *packet.StoreResponse {
	c.t.Helper()
	s := c.store(packet.StoreRequest{Action: packet.StoreLook}, packet.StatusOK)
	padded := append([]byte(nil), records...)
	for len(padded)%int(s.Unit) != 0 {
		padded = append(padded, 0xff)
	}
	for at := uint32(0); at < s.Header()+uint32(len(padded)); at += s.Page {
		c.store(packet.StoreRequest{Action: packet.StoreErase, Offset: at}, packet.StatusOK)
	}
	piece := max(c.payload/int(s.Unit), 1) * int(s.Unit)
	for at := 0; at < len(padded); at += piece {
		c.store(packet.StoreRequest{Action: packet.StoreWrite, Offset: s.Header() + uint32(at), Bytes: padded[at:min(at+piece, len(padded))]}, packet.StatusOK)
	}
	commit := packet.StoreRequest{Action: packet.StoreCommit, Bytes: packet.StoreDigest(records), Length: uint32(len(records)), Flags: flags}
	return c.store(commit, packet.StatusOK)
}

// A program that was stored is there again after a reset, with its loop if that is wanted; then another one, then none.
func TestStoredProgram(t *testing.T) {
	for _, name := range storing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, reset := powerWithButton(t, name)
			c := dial(t, m.TTY())
			b, err := boards.Find(name)
			require.NoError(t, err)
			c.isa = isaOf(t, b)
			nonce := uint32(0)
			again := func() *packet.HelloResponse {
				t.Helper()
				nonce++
				before := c.hello(nonce)
				reset()
				for {
					nonce++
					if h := c.hello(nonce); h.BootNonce != before.BootNonce {
						return h
					}
				}
			}
			look := func() *packet.StoreResponse {
				t.Helper()
				return c.store(packet.StoreRequest{Action: packet.StoreLook}, packet.StatusOK)
			}
			hello := again()
			require.NotZero(t, hello.LoopFeatures&packet.LoopStore)
			require.Equal(t, packet.StateIdle, hello.State)
			empty := look()
			require.Equal(t, packet.StoredNone, empty.State)
			require.Zero(t, empty.Sequence)

			records := c.records()
			stored := c.keep(records, packet.StoreAutostart)
			require.Equal(t, packet.StoredNext, stored.State)
			require.EqualValues(t, 1, stored.Sequence)

			require.Equal(t, packet.StateTicking, again().State)
			require.Equal(t, packet.StoredDone, look().State)
			c.ticked(c.live().Counts.Ticks + 10)
			for _, action := range []packet.StoreAction{packet.StoreErase, packet.StoreWrite, packet.StoreCommit, packet.StoreClear} {
				c.store(packet.StoreRequest{Action: action, Bytes: make([]byte, packet.DigestLength)}, packet.StatusBadState)
			}
			region := packet.RegionStore
			read := c.ask(&packet.ReadRequest{Length: 64, Region: &region}).(*packet.ReadResponse)
			require.Equal(t, packet.StatusOK, read.Status)
			require.Equal(t, records[:64], read.Bytes)
			require.Nil(t, read.Tick)
			c.stop()
			require.NotZero(t, c.result())

			stored = c.keep(records, 0)
			require.EqualValues(t, 2, stored.Sequence)
			require.Equal(t, packet.StateReady, again().State)
			require.Zero(t, c.result(), "it was loaded, and not started")
			c.start(c.hz, 1000, nil)
			c.stop()

			bad, err := packet.EncodeRequest(&packet.RunRequest{Count: 1})
			require.NoError(t, err)
			c.keep(packet.AppendRecord(records, bad), packet.StoreAutostart)
			require.Equal(t, packet.StateIdle, again().State)
			refused := look()
			require.Equal(t, packet.StoredRefused, refused.State)
			require.EqualValues(t, 6, refused.Record)
			require.Equal(t, packet.StatusBadMessage, refused.Refusal)

			require.Equal(t, empty, c.store(packet.StoreRequest{Action: packet.StoreClear}, packet.StatusOK))
			require.Equal(t, packet.StateIdle, again().State)
			require.Equal(t, empty, look())
		})
	}
}

// A stored program is not started while somebody holds a button or has a break on the line.
func TestStoredProgramIsHeld(t *testing.T) {
	const (
		buttonA = 17
		line    = 25
		while   = 200 * time.Millisecond
	)
	// A UART of QEMU that nobody reads yet takes more breaks than it has room for, so they come slowly.
	breaks := func(do func(command, event string), _ *probe) {
		for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			do(`"chardev-send-break","arguments":{"id":"serial0"}`, "")
		}
	}
	none := func(func(command, event string), *probe) {}
	low := func(pin int) func(func(command, event string), *probe) {
		return func(_ func(command, event string), p *probe) {
			p.do("set_irq_in /machine/nrf51 unnamed-gpio-in %d 0", pin)
		}
	}
	for _, one := range []struct {
		board, by string
		early     func(do func(command, event string), p *probe) // before the processor goes on
		late      func(do func(command, event string), p *probe) // after
		mayMiss   bool                                           // what comes late may come too late
	}{
		{"virt-a15", "a break", none, breaks, true},
		{"riscv-virt64", "a break", none, breaks, true},
		{"microbit", "button A", low(buttonA), none, false},
		{"microbit", "a low line", low(line), none, false},
	} {
		t.Run(one.board+" by "+one.by, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m, do := powerWithMonitor(t, one.board, qtest.Args(dir)...)
			p := openProbe(t, dir)
			c := dial(t, m.TTY())
			b, err := boards.Find(one.board)
			require.NoError(t, err)
			c.isa = isaOf(t, b)
			nonce := uint32(1)
			before := c.hello(nonce).BootNonce
			c.keep(c.records(), packet.StoreAutostart)
			start := func(early, late func(do func(command, event string), p *probe)) (packet.StoreState, packet.State) {
				t.Helper()
				do(`"stop"`, "STOP")
				do(`"system_reset"`, "RESET")
				early(do, p)
				do(`"cont"`, "RESUME")
				late(do, p)
				nonce++
				hello := c.hello(nonce)
				for ; hello.BootNonce == before; hello = c.hello(nonce) {
					nonce++
				}
				before = hello.BootNonce
				return c.store(packet.StoreRequest{Action: packet.StoreLook}, packet.StatusOK).State, hello.State
			}
			stored, state := start(one.early, one.late)
			// The runner looks for 20 ms of its time, in which a loaded host may not send a single break: then it is done once more.
			for tries := 1; stored != packet.StoredHeld && one.mayMiss && tries < 8; tries++ {
				stored, state = start(one.early, one.late)
			}
			require.Equal(t, packet.StoredHeld, stored)
			require.Equal(t, packet.StateIdle, state)
			stored, state = start(none, none)
			require.Equal(t, packet.StoredDone, stored)
			require.Equal(t, packet.StateTicking, state)
		})
	}
}
