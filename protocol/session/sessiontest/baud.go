package sessiontest

import (
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// baud is a change of rate under way.
type baud struct {
	wanted   int         // to be set when the answer is out; 0: none
	fallback *time.Timer // returns to the first rate
}

func (b *baud) request(r *Runner, rate int) packet.Response {
	if !slices.Contains(r.Hello.Bauds, uint32(rate)) {
		return &packet.BaudResponse{Status: packet.StatusUnsupported}
	}
	b.wanted = rate
	return &packet.BaudResponse{}
}

// apply switches after the answer has left the line.
func (b *baud) apply(r *Runner) {
	if b.wanted == 0 {
		return
	}
	rate, old := b.wanted, r.t.Baud()
	b.wanted = 0
	r.sleep(time.Duration(len(r.link.reply)) * 10 * time.Second / time.Duration(old))
	_ = r.t.SetBaud(rate)
	t, first := r.t, int(r.Hello.Bauds[0])
	b.fallback = time.AfterFunc(packet.BaudFallbackMS*time.Millisecond, func() { _ = t.SetBaud(first) })
}

// confirm notes that the rate works.
func (b *baud) confirm() {
	if b.fallback != nil {
		b.fallback.Stop()
		b.fallback = nil
	}
}
