package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

func TestErrorTexts(t *testing.T) {
	hangup := fmt.Errorf("/dev/ttyUSB0: %w", transport.ErrHangup)
	for _, c := range []struct {
		err interface {
			error
			Hint() string
		}
		text, hint string
	}{
		{&session.TimeoutError{Op: "hello", Target: "/dev/ttyUSB0", Wait: 5 * time.Second, Tries: 9},
			"/dev/ttyUSB0: no answer to hello in 5s (sent 9 times)", "flashed"},
		{&session.TimeoutError{Op: "hello", Target: "/dev/ttyUSB0", Wait: 5 * time.Second, Tries: 9, Noise: 70},
			"/dev/ttyUSB0: no answer to hello in 5s, but 70 bytes that are not packets", "--baud"},
		{&session.TimeoutError{Op: "seal", Target: "pty", Wait: time.Second, Tries: 2},
			"pty: no answer to seal in 1s (sent 2 times)", "connect again"},
		{&session.VersionError{Host: 1, Runner: 2}, "the runner speaks protocol version 2, this program version 1", "newer copaflash"},
		{&session.VersionError{Host: 2, Runner: 1}, "the runner speaks protocol version 1, this program version 2", "flash"},
		{&session.ArchError{Image: packet.ArchX86_64, Runner: packet.ArchAarch64}, "the image is for x86_64, the runner is aarch64", "compile for aarch64"},
		{&session.ArchError{Image: packet.ArchX86_64, Runner: packet.ArchX86_64, Missing: packet.FeatAVX2}, "the image needs avx2, which this x86_64 does not have", "without"},
		{&session.ArchError{Image: packet.ArchThumbv7emSp, Runner: packet.ArchThumbv7emSp, Missing: packet.FeatBareEntry},
			"the image needs bare-entry, which this thumbv7em-sp does not have", "copaflash flash"},
		{&session.RemoteError{Op: packet.MsgBegin, Status: packet.StatusMissingFeature, Detail: uint32(packet.FeatBareEntry)},
			"the runner refused begin: missing-feature: image needs a feature that is absent (bare-entry)", "copaflash flash"},
		{&session.SizeError{Region: "data", Needs: 9000, Have: 8192}, "the image needs 9000 bytes of data memory, the runner has 8192", "smaller"},
		{&session.RemoteError{Op: packet.MsgSeal, Status: packet.StatusDigestMismatch},
			"the runner refused seal: digest-mismatch: what arrived is not what BEGIN announced", "again"},
		{&session.RemoteError{Op: packet.MsgBegin, Status: packet.StatusNoMemory, Detail: 8192},
			"the runner refused begin: no-memory: image larger than the runner's memory (8192)", "memory"},
		{&session.RemoteError{Op: packet.MsgRead, Status: -99}, "the runner refused read: status -99", "flash"},
		{&session.FaultError{Fault: packet.Fault{Kind: packet.FaultTimeLimit, PC: 0x10, Inside: true}, Runs: 0},
			"the program stopped in run 0 of entry 0, at offset 0x10 of the code: a run took longer than its limit", "more time"},
		{&session.FaultError{Fault: packet.Fault{Kind: packet.FaultIllegal, PC: 0x8000}, Runs: 0},
			"the program stopped in run 0 of entry 0, at address 0x8000 outside of the program's code: illegal instruction", "report"},
		{&session.RestartError{Target: "pty"}, "pty: the runner has restarted", "load"},
		{&session.RestartError{Target: "pty", Watchdog: true},
			"pty: the runner has restarted while its loop ran, probably by the hardware watchdog of the loop", "longer"},
		{&session.WatchdogError{Time: 50, Least: 100, Most: 8388}, "a hardware watchdog of 50 ms: this board's reaches from 100 to 8388 ms", "in this range"},
		{&session.WatchdogError{Time: 50}, "a hardware watchdog of 50 ms: this board's does not reach that, or its timer cannot keep the period", "another time"},
		{&session.WatchdogError{Time: 50, Fixed: true},
			"a hardware watchdog of 50 ms: this board's runs already, with another time, which only a reset can change", "reset the board"},
		{&session.PinsError{Entry: 4}, "the runner does not allow entry 4 of the pins: it is malformed, its register lies outside of the chip's windows, or behind the lists there is no room for their code", "flash"},
		{&session.PinsError{Entry: 4, Vain: true}, "entry 4 of the pins waited in vain", "connected"},
		{&session.FaultError{Fault: packet.Fault{Kind: packet.FaultWait, Entry: 4, Address: 0x40012000, Cause: 2, Run: 7}},
			"entry 4 of the pins waited in vain in tick 7: the register at 0x40012000 read as 0x2", "connected"},
		{&session.DeliveryError{Delivered: 10, Total: 100, Err: hangup},
			"load stopped with 10 of 100 bytes delivered: /dev/ttyUSB0: the other end hung up", "cable"},
		{&session.DeliveryError{Delivered: 10, Total: 100, Err: &session.RestartError{Target: "pty"}},
			"load stopped with 10 of 100 bytes delivered: pty: the runner has restarted", "load the program again"},
		{&session.RateError{Want: 921601, Offered: []uint32{115200, 921600}}, "921601 baud: the runner offers [115200 921600]", "--baud"},
		{&session.BaudError{Want: 921600, Now: 115200}, "the line does not work at 921600 baud; it is back at 115200", "lower"},
	} {
		assert.Equal(t, c.text, c.err.Error())
		assert.Contains(t, c.err.Hint(), c.hint, c.text)
	}
}

// Every failure that a runner can report has a text and a next step.
func TestEveryStatusHasATextAndAHint(t *testing.T) {
	count := 0
	for s := packet.StatusBadMessage; s.Valid(); s-- {
		count++
		e := &session.RemoteError{Op: packet.MsgRun, Status: s}
		assert.Contains(t, e.Error(), s.String()+": ")
		assert.NotEmpty(t, strings.TrimSpace(e.Hint()))
	}
	assert.Greater(t, count, 10)
}
