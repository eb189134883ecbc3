package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

const (
	// chunkExtra is the most that a CHUNK has beside its bytes: header,
	// checksum, map, code, region, offset, key and length.
	chunkExtra = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 2 + 6 + 1 + 3
	// chunkTime is how long a CHUNK should take on a slow line: a lost one
	// costs that much, and progress is seen in these steps.
	chunkTime = 200 * time.Millisecond
	minChunk  = 128
	// chunksPerWindow should fit, so that the line does not idle while an
	// acknowledgement is on its way.
	chunksPerWindow = 3
	// maxTries is how often a CHUNK, or a request that nothing is done about, is sent
	// before the line counts as too bad.
	maxTries = 20
	// leastTries is how often nothing must have been heard before a runner counts as
	// silent: where answers take long, repetitions are far apart.
	leastTries = 6
	// ackBytes is an acknowledgement on the line.
	ackBytes = packet.HeaderLength + packet.AckLength + packet.TrailerLength + 2

	// hashRate and clearRate are what the slowest runner does in a second, in
	// bytes; they bound how long the answers to SEAL and BEGIN may take.
	hashRate  = packet.HashRate
	clearRate = packet.ClearRate
)

// A LoadReport tells how a load went.
type LoadReport struct {
	Bytes  int           // of code, data and patches
	Chunks int           // sent, repetitions included
	Resent int           // repetitions
	Took   time.Duration // from BEGIN to the answer to SEAL
}

// Load sends an image and has it checked, patched and made ready to run. What
// was loaded before is gone. progress, if not nil, is told how many bytes the
// runner has, of how many. Load fails with an ArchError or a SizeError before
// anything is sent, and with a DeliveryError when it stopped on the way.
func (s *Session) Load(ctx context.Context, m *packet.Image, progress func(done, total int)) (LoadReport, error) {
	if err := s.notTicking(ctx); err != nil {
		return LoadReport{}, err
	}
	if err := s.acquire(ctx); err != nil {
		return LoadReport{}, err
	}
	defer s.release()
	if err := fits(m, s.info.Load()); err != nil {
		return LoadReport{}, err
	}
	s.program = program{}
	report, err := s.deliver(ctx, m, progress)
	if err == nil {
		s.program = programOf(m)
	}
	return report, err
}

// notTicking makes sure that no loop runs, beside which an image would be loaded.
func (s *Session) notTicking(ctx context.Context) error {
	if !s.looped.Load() && s.Info().State != packet.StateTicking {
		return nil
	}
	status, err := s.Status(ctx)
	if err == nil && status.State == packet.StateTicking {
		err = TickingError{}
	}
	return err
}

// programOf is what is known of an image once it is loaded.
func programOf(m *packet.Image) program {
	digest := m.Digest()
	return program{digest: digest[:], code: uint64(len(m.Code)), data: uint64(len(m.Data)) + uint64(m.BSS), entries: len(m.Entries)}
}

// deliver sends an image from BEGIN to SEAL. The caller holds the busy token.
func (s *Session) deliver(ctx context.Context, m *packet.Image, progress func(done, total int)) (LoadReport, error) {
	start := time.Now()
	begin := m.Begin()
	work := time.Duration(len(m.Code)+len(m.Data)+int(m.BSS)) * time.Second / clearRate
	if _, err := s.request(ctx, begin, work); err != nil {
		return LoadReport{}, err
	}
	st := &stream{seq: s.seq, window: int(s.Info().Window), more: s.chunks(m)}
	// Until all of them are acknowledged, the next request has no number.
	s.stale = true
	if err := s.send(ctx, st, m.Size(), progress); err != nil {
		return LoadReport{}, &DeliveryError{st.delivered, m.Size(), err}
	}
	s.seq, s.stale = st.seq, false
	work = time.Duration(m.Size()) * time.Second / hashRate
	if _, err := s.request(ctx, &packet.SealRequest{}, work); err != nil {
		return LoadReport{}, err
	}
	return LoadReport{m.Size(), int(st.sendings), st.resent, time.Since(start)}, nil
}

// fits reports what keeps an image from running on a runner.
func fits(m *packet.Image, r *packet.HelloResponse) error {
	data := uint64(len(m.Data)) + uint64(m.BSS) + uint64(len(m.Patches))
	switch {
	case m.Arch != r.Arch:
		return &ArchError{Image: m.Arch, Runner: r.Arch}
	case m.Features&^r.Features != 0:
		return &ArchError{Image: m.Arch, Runner: r.Arch, Missing: m.Features &^ r.Features}
	case uint64(len(m.Code)) > uint64(r.CodeCapacity):
		return &SizeError{"code", uint64(len(m.Code)), uint64(r.CodeCapacity)}
	case data > uint64(r.DataCapacity):
		return &SizeError{"data", data, uint64(r.DataCapacity)}
	case len(m.Code) == 0:
		return errors.New("image without code")
	}
	return nil
}

// chunkSize returns how many bytes of the image go into one CHUNK.
func (s *Session) chunkSize() int {
	info := s.Info()
	most := int(info.MaxPacket) - chunkExtra
	n := min(most, int(info.Window)/chunksPerWindow-chunkExtra)
	if s.timing.baud > 0 {
		n = min(n, int(chunkTime/s.timing.line(1)))
	}
	return max(n, min(minChunk, most))
}

// chunks returns a function that cuts the image into CHUNKs.
func (s *Session) chunks(m *packet.Image) func(seq uint16) (*flight, error) {
	size := s.chunkSize()
	regions := m.Regions()
	region, offset := 0, 0
	return func(seq uint16) (*flight, error) {
		for region < len(regions) && offset == len(regions[region]) {
			region, offset = region+1, 0
		}
		if region == len(regions) {
			return nil, nil
		}
		piece := regions[region][offset:min(offset+size, len(regions[region]))]
		out, err := s.encode(seq, &packet.ChunkRequest{Region: packet.Region(region), Offset: uint32(offset), Bytes: piece})
		offset += len(piece)
		return &flight{seq: seq, bytes: len(piece), frame: out}, err
	}
}

// send moves the stream until everything is acknowledged.
func (s *Session) send(ctx context.Context, st *stream, total int, progress func(done, total int)) error {
	repeat := time.NewTimer(time.Hour)
	defer repeat.Stop()
	stall := time.NewTimer(s.stalled(st))
	defer stall.Stop()
	lastHeard := time.Now()
	heard := 0   // packets since there was anything new in one
	silent := 0  // expiries in a row
	unheard := 0 // of them, since anything was heard
	for {
		f, err := st.next()
		if err != nil {
			return err
		}
		if st.done() {
			return nil
		}
		var tx chan []byte
		var out []byte
		if f != nil {
			tx, out = s.link.tx, f.frame
			if silent >= quietTries { // is it the runner of before?
				out = slices.Concat(out, s.knock)
			}
		}
		select {
		case tx <- out:
			st.sent(f)
			if f.earliest == f.order {
				f.sentAt = time.Now()
			}
			repeat.Reset(s.pause(st, silent))
		case p := <-s.link.rx:
			news, err := s.receive(st, p)
			if err != nil {
				return err
			}
			if p.Session != s.id {
				continue
			}
			lastHeard, unheard = time.Now(), 0
			heard++
			if news {
				silent, heard = 0, 0
				stall.Reset(s.stalled(st))
				if progress != nil {
					progress(st.delivered, total)
				}
			}
			repeat.Reset(s.pause(st, silent))
		case <-repeat.C:
			quiet := time.Since(lastHeard)
			if quiet > s.opt.Timeout+s.timing.line(st.underway) && silent >= leastTries || st.worst() >= maxTries && unheard == 0 {
				return s.timeout(packet.MsgChunk, quiet, st.worst(), 0, 0)
			}
			st.expire()
			silent++
			unheard++
			repeat.Reset(max(s.pause(st, silent), quiet/quietShare))
		case <-stall.C:
			return s.timeout(packet.MsgChunk, s.stalled(st), st.worst(), 0, heard)
		case <-s.link.stopped:
			return s.link.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// stalled is how long nothing new need be acknowledged, whatever comes instead.
func (s *Session) stalled(st *stream) time.Duration {
	return renewals * (s.opt.Timeout + s.timing.line(st.underway+st.window))
}

// pause returns how long to wait for an acknowledgement.
func (s *Session) pause(st *stream, silent int) time.Duration {
	return backoff(s.timing.wait(st.underway+ackBytes), silent)
}

// receive takes a packet that came while CHUNKs are under way. It reports
// whether it acknowledged anything new.
func (s *Session) receive(st *stream, p frame.Packet) (bool, error) {
	if isHello(p) {
		info, err := s.readHello(p)
		switch {
		case err != nil || s.current(info):
			return false, nil
		case !s.own(info):
			return false, s.lose(info.Session)
		}
		if err := s.adopt(info); err != nil {
			return false, err
		}
		return false, ErrTaken
	}
	if p.Session != s.id || p.Version != packet.ProtocolVersion {
		return false, nil
	}
	switch p.Kind {
	case packet.KindAck:
		a, err := packet.DecodeAck(p.Body)
		if err != nil {
			return false, &AnswerError{packet.MsgChunk, err}
		}
		st.window = int(a.Window)
		f := st.acknowledge(p.Ack, a.Bitmap)
		switch {
		case f == nil && st.unclear != nil: // a repetition that was not needed: it was the first sending
			s.timing.sample(st.unclear.took, st.unclear.behind+ackBytes)
			st.unclear = nil
		case f == nil:
		case f.earliest == f.order:
			s.timing.sample(time.Since(f.sentAt), f.behind+ackBytes)
		default:
			f.took = time.Since(f.sentAt)
			st.unclear = f
		}
		return f != nil, nil
	case packet.KindRsp:
		if packet.PeekCode(p.Body) != packet.MsgChunk {
			return false, nil // a repeated answer to BEGIN
		}
		r, err := packet.DecodeResponse(p.Body)
		if err != nil {
			return false, &AnswerError{packet.MsgChunk, err}
		}
		return false, refusal(r)
	}
	return false, nil
}
