//go:build linux

package emulator_test

import (
	"bufio"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A counter tells how many instructions a machine has executed: QEMU's monitor says so
// while it records. One that sleeps executes none.
type counter struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// count starts a board whose instructions are counted.
func count(t *testing.T, name string) (*client, *counter) {
	t.Helper()
	board, err := boards.Find(name)
	require.NoError(t, err)
	needQEMU(t, board)
	buffered := *board.QEMU // while it records, QEMU takes nothing from a plain line
	buffered.SingleByte = true
	board.QEMU = &buffered
	dir := t.TempDir()
	socket := filepath.Join(dir, "monitor")
	m, err := emulator.Start(t.Context(), board, emulator.Options{Args: []string{
		"-icount", "shift=4,rr=record,rrfile=" + filepath.Join(dir, "record"), "-monitor", "unix:" + socket + ",server=on,wait=off",
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	c := dial(t, m.TTY())
	c.isa = isaOf(t, board)
	c.hello(1) // QEMU is up, monitor and all
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(answerTime)))
	return c, &counter{t, conn, bufio.NewReader(conn)}
}

var instructionCount = regexp.MustCompile(`instruction count = ([0-9]+)`)

func (n *counter) now() int {
	n.t.Helper()
	_, err := fmt.Fprintln(n.conn, "info replay")
	require.NoError(n.t, err)
	for {
		line, err := n.in.ReadString('\n')
		require.NoError(n.t, err)
		if m := instructionCount.FindStringSubmatch(line); m != nil {
			v, err := strconv.Atoi(m[1])
			require.NoError(n.t, err)
			return v
		}
	}
}

// What a host allows for hashing and clearing is enough for the slowest cores. QEMU counts instructions, not cycles: no
// loop of these takes more cycles for each than one that stores, counts, compares and branches, 7 for 4 on a Cortex-M0.
func TestHashAndClearRates(t *testing.T) {
	const cycles = 7. / 4
	for _, tt := range []struct {
		board string
		hz    float64 // of the core
	}{
		{"microbit", 16e6}, {"sifive-e", 16e6}, {"mps2-an505", 20e6}, {"stm32vldiscovery", 24e6},
	} {
		t.Run(tt.board, func(t *testing.T) {
			t.Parallel()
			c, counter := count(t, tt.board)
			hello := c.hello(2)
			// The difference of two sizes is without what a request takes else. How many bytes come with one interrupt
			// is chance: the least of several requests counts.
			cost := func(requests int, size uint32) (clear, hash int) {
				clear, hash = math.MaxInt, math.MaxInt
				code := make([]byte, size)
				begin := &packet.BeginRequest{Arch: c.isa.arch, CodeLength: size, BSSLength: size, Entries: []uint32{0}}
				digest := begin.Sum(code, nil, nil)
				begin.Digest = digest[:]
				for i := range requests {
					before := counter.now()
					require.Equal(t, packet.StatusOK, c.ask(begin).Result())
					clear = min(clear, counter.now()-before)
					if i%13 != 0 {
						continue // enough of what takes long
					}
					for at := 0; at < len(code); at += c.payload {
						c.chunk(packet.RegionCode, uint32(at), code[at:min(at+c.payload, len(code))])
					}
					before = counter.now()
					require.Equal(t, packet.StatusOK, c.ask(&packet.SealRequest{}).Result())
					hash = min(hash, counter.now()-before)
				}
				return clear, hash
			}
			small, large := uint32(256), min(hello.CodeCapacity, hello.DataCapacity, 32768)
			smallClear, smallHash := cost(40, small)
			largeClear, largeHash := cost(40, large)
			more := float64(large - small)
			cleared, hashed := float64(largeClear-smallClear)/2/more, float64(largeHash-smallHash)/more // code and data are cleared
			t.Logf("%d bytes: cleared by %.2f instructions a byte, hashed by %.1f", large, cleared, hashed)
			require.Positive(t, cleared)
			require.Greater(t, tt.hz/(cleared*cycles), float64(packet.ClearRate))
			require.Greater(t, hashed, 4., "a byte is loaded, combined and multiplied")
			require.Greater(t, tt.hz/(hashed*cycles), float64(packet.HashRate))
		})
	}
}
