package local_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/packet"
)

func (c *client) store(q *packet.StoreRequest) *packet.StoreResponse {
	c.t.Helper()
	r := request[*packet.StoreResponse](c, q)
	require.Equal(c.t, packet.StatusOK, r.Status, "%v at %d", q.Action, q.Offset)
	return r
}

// keep stores requests, the last of which starts a loop.
func (c *client) keep(requests ...packet.Request) []byte {
	c.t.Helper()
	var records []byte
	for _, q := range requests {
		body, err := packet.EncodeRequest(q)
		require.NoError(c.t, err)
		records = packet.AppendRecord(records, body)
	}
	s := c.store(&packet.StoreRequest{Action: packet.StoreLook})
	padded := append(append([]byte(nil), records...), make([]byte, -len(records)&int(s.Unit-1))...)
	c.store(&packet.StoreRequest{Action: packet.StoreErase})
	c.store(&packet.StoreRequest{Action: packet.StoreWrite, Offset: s.Header(), Bytes: padded})
	commit := &packet.StoreRequest{
		Action: packet.StoreCommit, Bytes: packet.StoreDigest(records), Length: uint32(len(records)), Flags: packet.StoreAutostart,
	}
	require.Equal(c.t, packet.StoredNext, c.store(commit).State)
	return records
}

// A runner that is killed and started again has its loop again, from its file; one that another runner has, or that is none, is refused.
func TestServiceStartsWhatIsStored(t *testing.T) {
	for _, m := range []struct {
		arch, emulator string
		programs       programs
	}{{hostArch, "", native}, {"aarch64", "qemu-aarch64-static", arm}, {"armv7a", "qemu-arm-static", armv7}} {
		t.Run(m.arch, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "programs")
			name := unixName(t)
			begin := func() (*service, *client) {
				t.Helper()
				s := serve(t, m.arch, m.emulator, "-listen", "unix:"+name, "-store", file)
				return s, dialUnix(t, name)
			}
			end := func(s *service) {
				t.Helper()
				require.NoError(t, s.cmd.Process.Kill())
				<-s.gone
				require.NoError(t, os.Remove(name))
			}
			s, c := begin()
			require.NotZero(t, c.about.LoopFeatures&packet.LoopStore)
			require.Equal(t, packet.StoredNone, c.store(&packet.StoreRequest{Action: packet.StoreLook}).State)
			code := m.programs.count
			load := &packet.BeginRequest{Arch: c.about.Arch, CodeLength: uint32(len(code)), BSSLength: 64, Entries: []uint32{0}}
			digest := load.Sum(code, nil, nil)
			load.Digest = digest[:]
			records := c.keep(load, &packet.ChunkRequest{Region: packet.RegionCode, Bytes: code}, &packet.SealRequest{},
				&packet.StartRequest{Period: uint64(time.Millisecond), Tasks: []uint32{0, 1}, Limit: uint64(patience)})
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.EqualValues(t, 0o600, info.Mode().Perm())

			second := serve(t, m.arch, m.emulator, "-listen", "unix:"+unixName(t), "-store", file)
			<-second.gone
			require.Contains(t, second.text.String(), "another runner has the file of -store")

			for range 3 {
				end(s)
				s, c = begin()
				require.Equal(t, packet.StateTicking, c.about.State)
				require.Equal(t, packet.StoredDone, c.store(&packet.StoreRequest{Action: packet.StoreLook}).State)
				region := packet.RegionStore
				require.Equal(t, records, request[*packet.ReadResponse](c, &packet.ReadRequest{Length: uint32(len(records)), Region: &region}).Bytes)
				require.Eventually(t, func() bool {
					return request[*packet.LiveResponse](c, &packet.LiveRequest{}).Counts.Ticks > 5
				}, patience, time.Millisecond)
			}
			request[*packet.StopResponse](c, &packet.StopRequest{})
			require.Equal(t, packet.StoredNone, c.store(&packet.StoreRequest{Action: packet.StoreClear}).State)
			end(s)
			s, c = begin()
			require.Equal(t, packet.StateIdle, c.about.State)
			end(s)
		})
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "no", "folder"): "cannot open the file of -store", t.TempDir(): "cannot open the file of -store",
		pipe: "-store wants a file", "/proc/self/mem": "cannot read the file of -store",
	} {
		s := serve(t, hostArch, "", "-listen", "unix:"+unixName(t), "-store", path)
		<-s.gone
		require.Contains(t, s.text.String(), want, path)
	}
}
