package local_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Where the tests below have a list and a ring in live memory.
const (
	listPlace  = 256
	ringPlace  = 4096
	ringLength = 64 << 10
)

// subscribe asks for data words 4 to 11, every tick.
func (c *client) subscribe(batch uint32) {
	c.t.Helper()
	c.live(listPlace, 1, 4*countWord, 32)
	c.tel = nil
	for deadline := time.Now().Add(patience); ; {
		r := request[*packet.SubscribeResponse](c, &packet.SubscribeRequest{List: listPlace, Every: 1, Ring: ringPlace, Length: ringLength, Batch: batch})
		if r.Status == packet.StatusOK {
			return
		}
		require.Equal(c.t, packet.StatusBusy, r.Status, "in a long tick")
		require.True(c.t, time.Now().Before(deadline), "busy")
	}
}

// records checks the telemetry that has come: packets in order, and records with the number of the program's calls, which is
// one more with each. It returns how many there are, the last number, and how many were lost.
func (c *client) records() (n int, last, dropped uint32) {
	c.t.Helper()
	for i, p := range c.tel {
		require.EqualValues(c.t, i, p.Seq, "packets in order")
		body, err := packet.DecodeTel(p.Body, 32)
		require.NoError(c.t, err)
		dropped = body.Drops
		for at := 0; at < len(body.Values); at += 32 {
			count := binary.LittleEndian.Uint32(body.Values[at:])
			require.True(c.t, last == 0 || count == last+1 || dropped != 0, "%d after %d", count, last)
			last = count
			n++
		}
	}
	return n, last, dropped
}

// Eight variables of every tick arrive, each once: at 1 kHz, and what is left after the end.
func TestLoopTelemetry(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		for _, batch := range []uint32{1, 25} {
			c.load(p.count)
			c.begin(time.Millisecond)
			c.subscribe(batch)
			before := c.status().Counts.Ticks
			for deadline := time.Now().Add(extent.Of(500*time.Millisecond, time.Minute)); time.Now().Before(deadline); {
				c.status() // the link has other work, too
			}
			s := c.stop()
			require.Zero(t, s.Counts.Drops)
			for deadline := time.Now().Add(patience); ; {
				n, last, dropped := c.records()
				require.Zero(t, dropped)
				if last == s.Counts.Ticks {
					require.GreaterOrEqual(t, n, int(s.Counts.Ticks-before), "all since SUBSCRIBE")
					break
				}
				require.True(t, time.Now().Before(deadline), "%d of %d", last, s.Counts.Ticks)
				c.status()
			}
		}
	})
}

// The host may stop listening: the loop does not wait for it, and says how much was lost.
func TestLoopGoesOnWhileTheHostIsBusy(t *testing.T) {
	c := start(t)
	c.load(native.count)
	c.begin(100*time.Microsecond, c.safe())
	c.subscribe(1)
	for deadline := time.Now().Add(patience); ; {
		time.Sleep(2 * time.Second) // packets of 60 bytes fill the socket, then the ring
		if c.status().Counts.Drops != 0 {
			break
		}
		require.True(t, time.Now().Before(deadline), "the loop waits for its host")
	}
	s := c.stop()
	require.EqualValues(t, safeValue, c.word(safeWord))
	_, _, dropped := c.records()
	require.LessOrEqual(t, dropped, s.Counts.Drops)
}

// forged is a program that writes a value to many words, and then goes on for ever, or returns.
func forged(a *attacker, endless bool, from, to uint64, value uint32) []byte {
	var words []word
	for at := from; at < to; at += 4 {
		words = append(words, word{at, value})
	}
	code := a.write(words...)
	if !endless {
		code = append(code[:len(code)-2], 0xc3) // in place of the jump
	}
	return code
}

// What both processes share is the program's to write: the state of the loop, and of the handshake. The runner answers, ends
// the loop, and goes on.
func TestForgedLoopsHarmNobodyElse(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		c.works(a.programs)
		page := shared(t, c)
		if page == 0 {
			return // said why
		}
		const loopLength = 4096
		for _, endless := range []bool{false, true} {
			for _, span := range [][2]uint64{{4, 160}, {loopAt, loopAt + 200}, {loopAt + 200, loopAt + loopLength}, {0, 4}} {
				for _, value := range extent.Of([]uint32{0xffffffff, 5}, []uint32{0, 1, 2, 3, 4, 5, 6, 0x400000, 0x7fffffff, 0xfffffffc, 0xffffffff}) {
					c.load(forged(a, endless, page+span[0], page+span[1], value))
					began := time.Now()
					c.begin(time.Millisecond, c.safe(), func(q *packet.StartRequest) { q.Limit = c.counts(2 * time.Millisecond) })
					for range 5 {
						request[*packet.LiveResponse](c, &packet.LiveRequest{})
						request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 4})
						request[*packet.ApplyResponse](c, &packet.ApplyRequest{List: safePlace})
						request[*packet.SubscribeResponse](c,
							&packet.SubscribeRequest{List: safePlace, Every: 1, Ring: ringPlace, Length: ringLength, Batch: 1})
						time.Sleep(time.Millisecond)
					}
					c.stop()
					require.Less(t, time.Since(began), patience, "endless %t, %v, value %#x", endless, span, value)
					c.works(a.programs)
				}
			}
		}
	})
}

// Telemetry of the program below: its ring holds no more than one packet.
const (
	inventSlots  = 8
	inventRecord = 12 // bytes
	inventGo     = 5  // data word that is not 0 when it is to begin
	inventReal   = 6  // data word that says how many records there truly were
)

// invent returns a program that does nothing in each tick until it is told to begin, and then makes up records of telemetry. It
// waits until a whole ring of them has been sent, and the next packet lacks one record. Then it says that its loop was stopped
// and its turn is over, and that there is always one more record.
func invent(a *attacker, page uint64) []byte {
	const eax, ecx, ebx = 0, 1, 3
	return join(a.data, []byte{
		0x83, 0x7f, 4 * inventGo, 0, 0x75, 1, 0xc3, // cmp $0, go(%edi); jne +1; ret
	}, a.address(eax, page+takenAt), a.address(ecx, page+writtenAt), []byte{
		0x8b, 0x31, 0x89, 0x77, 4 * inventReal, 0x83, 0xc6, inventSlots, // mov (%ecx), %esi; mov %esi, real(%edi); add $slots, %esi
		0x8b, 0x10, 0x8d, 0x5a, inventSlots, 0x89, 0x19, // mov (%eax), %edx; lea slots(%edx), %ebx; mov %ebx, (%ecx)
		0x29, 0xf2, 0x78, 0xf5, // sub %esi, %edx; js to the line above
		0x8b, 0x11, 0x2b, 0x10, 0x83, 0xfa, inventSlots, 0x73, 0xf7, // again: mov (%ecx), %edx; sub (%eax), %edx; cmp $slots, %edx; jae again
		0x8b, 0x10, 0x83, 0xc2, inventSlots - 1, 0x89, 0x11, // mov (%eax), %edx; add $slots-1, %edx; mov %edx, (%ecx)
	}, a.address(ebx, page+endAt), []byte{0xc7, 0x03}, le32(uint32(packet.LoopEndStopped)), // mov to (%ebx)
		a.address(ebx, page), []byte{0xc7, 0x03}, le32(turnEnded), []byte{
			0x8b, 0x10, 0x3b, 0x11, 0x75, 0xfa, 0xff, 0xc2, 0x89, 0x11, 0xeb, 0xf4, // again: if (%eax) is (%ecx), one more to (%ecx); jmp again
		})
}

// received counts the records of telemetry that have come.
func (c *client) received(record int) (n int) {
	c.t.Helper()
	for _, p := range c.tel {
		body, err := packet.DecodeTel(p.Body, record)
		require.NoError(c.t, err)
		n += len(body.Values) / record
	}
	return n
}

// A program that says that its loop has ended, and goes on writing records, has as many of them sent as its ring holds, and no more.
func TestTelemetryEndsWithTheLoop(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		const value, goAt, attempts = 4, 1024, 10
		for range attempts { // in some of them both processes run at the same time, whatever else the machine does
			c.works(a.programs)
			page := shared(t, c)
			if page == 0 {
				return // said why
			}
			c.tel = nil
			c.load(invent(a, page))
			c.begin(time.Millisecond)
			c.live(listPlace, 1, 4*countWord, value)
			c.live(goAt, 1, 4*inventGo, 4, 1)
			subscribe := &packet.SubscribeRequest{List: listPlace, Every: 1, Ring: ringPlace, Length: inventSlots * inventRecord, Batch: inventSlots}
			require.Equal(t, packet.StatusOK, request[*packet.SubscribeResponse](c, subscribe).Status)
			c.ticked(5)
			require.Equal(t, packet.StatusOK, request[*packet.ApplyResponse](c, &packet.ApplyRequest{List: goAt}).Status)
			require.Equal(t, packet.LoopEndStopped, c.ended().Counts.End)
			c.status() // the runner has seen it, too
			before := c.received(value)
			made := int(c.word(inventReal)) + inventSlots + inventSlots - 1 // while the loop went on, and what was ready at its end
			for deadline := time.Now().Add(patience); c.received(value) < made; c.status() {
				require.True(t, time.Now().Before(deadline), "records that it makes up are sent: %d of %d", c.received(value), made)
			}
			for range 100 { // more of them could come
				c.status()
			}
			require.LessOrEqual(t, c.received(value)-before, inventSlots)
		}
		c.works(a.programs)
	})
}

// A list is the host's to write, at any time, and a program's: what does not fit ends the loop, and nothing else.
func TestLoopEndsByABadPlan(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		c.load(p.count)
		c.begin(time.Millisecond, c.safe())
		c.subscribe(1)
		c.live(listPlace, 0xffffffff)
		s := c.ended()
		require.Equal(t, packet.LoopEndPlan, s.Counts.End)
		require.EqualValues(t, safeValue, c.word(safeWord))
		c.works(p)
	})
}

// A host that is silent for too long ends the loop, if it has asked for that.
func TestLoopEndsInSilence(t *testing.T) {
	t.Parallel() // it does little but wait
	c := start(t)
	c.load(native.count)
	const silence = 3 * time.Second // in which a busy machine gives this process its turn
	c.begin(time.Millisecond, c.safe(), func(q *packet.StartRequest) { q.Silence = c.counts(silence) })
	for range 20 {
		time.Sleep(silence / 15)
		require.Equal(t, packet.LoopEndNone, c.status().Counts.End)
	}
	for wait := silence + silence/10; ; wait *= 2 { // and its turn to the loop
		time.Sleep(wait)
		s := c.status()
		if s.Counts.End != packet.LoopEndNone {
			require.Equal(t, packet.LoopEndSilence, s.Counts.End)
			break
		}
		require.Less(t, wait, patience)
	}
	require.EqualValues(t, safeValue, c.word(safeWord))
}
