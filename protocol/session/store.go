package session

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A StoredProgram is a program as a runner keeps it in its flash: requests that it carries out by itself when it starts.
type StoredProgram struct {
	Records   []byte // as packet.AppendRecord makes them
	Autostart bool   // START among them is carried out, too
}

// canStore reports what keeps the runner from storing programs.
func (s *Session) canStore() error {
	if info := s.Info(); info.LoopFeatures&packet.LoopStore == 0 {
		return &NoStoreError{Board: info.Board}
	}
	return nil
}

// LookStore tells what the runner's store is, what is in it, and what became of that when the runner started.
func (s *Session) LookStore(ctx context.Context) (*packet.StoreResponse, error) {
	if err := s.canStore(); err != nil {
		return nil, err
	}
	look := &step{request: &packet.StoreRequest{Action: packet.StoreLook}, reply: smallReply}
	if err := s.exclusive(ctx, func() error { return s.insist(ctx, []*step{look}) }); err != nil {
		return nil, err
	}
	return look.answer.(*packet.StoreResponse), nil
}

// FitsStore reports by how much a program is too large for a store.
func FitsStore(p *StoredProgram, r *packet.StoreResponse) error {
	if n := len(p.Records); uint64(n) > uint64(r.Capacity()) {
		return &StoreSizeError{Needs: uint64(n), Have: uint64(r.Capacity())}
	}
	return nil
}

// Store has the runner keep a program: from its next start on it is the one that is carried out. Until the last request is, that is the
// program of before. Store fails with a NoStoreError, a StoreSizeError or a TickingError before anything is erased. progress, if not
// nil, is told how many bytes are written, of how many.
func (s *Session) Store(ctx context.Context, p *StoredProgram, progress func(done, total int)) error {
	r, err := s.LookStore(ctx)
	if err != nil {
		return err
	}
	if err := FitsStore(p, r); err != nil {
		return err
	}
	if err := s.notTicking(ctx); err != nil {
		return err
	}
	image := make([]byte, r.Header(), int(r.Header())+len(p.Records)+int(r.Unit))
	image = append(image, p.Records...)
	for uint32(len(image))%r.Unit != 0 {
		image = append(image, 0xff) // as it is when erased
	}
	for at := uint32(0); at < uint32(len(image)); at += r.Page {
		page := image[at:min(uint64(at)+uint64(r.Page), uint64(len(image)))]
		if err := s.storePage(ctx, r, at, page, progress, len(image)); err != nil {
			return s.storeRefused(ctx, err)
		}
	}
	commit := &packet.StoreRequest{Action: packet.StoreCommit, Length: uint32(len(p.Records)), Bytes: packet.StoreDigest(p.Records)}
	if p.Autostart {
		commit.Flags = packet.StoreAutostart
	}
	return s.storeRefused(ctx, s.commit(ctx, r, commit))
}

const (
	// pageTries is how often a page is erased and written before a line counts as too bad.
	pageTries = 3
	// storeExtra is what a STORE has beside its bytes: header, checksum, map, code, action, offset, key and length.
	storeExtra = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 2 + 6 + 1 + 3
	// programTime is how long it may take to program the bytes of a packet, beyond an answer.
	programTime = time.Second
)

// storePage erases a page and writes it. Where a request was left without an answer it is not known what the page holds: it is erased and
// written once more.
func (s *Session) storePage(ctx context.Context, r *packet.StoreResponse, at uint32, page []byte, progress func(done, total int), total int) error {
	var err error
	for range pageTries {
		if err = s.storePageOnce(ctx, r, at, page, progress, total); err == nil {
			return nil
		}
		var silent *TimeoutError
		if ctx.Err() != nil || !errors.As(err, &silent) {
			return err
		}
	}
	return err
}

func (s *Session) storePageOnce(ctx context.Context, r *packet.StoreResponse, at uint32, page []byte, progress func(done, total int), total int) error {
	if err := s.storeStep(ctx, &packet.StoreRequest{Action: packet.StoreErase, Offset: at}, eraseTime(r)); err != nil {
		return err
	}
	most := uint32(s.room(storeExtra)) / r.Unit * r.Unit
	if most == 0 {
		return &StoreUnitError{Unit: r.Unit, MaxPacket: s.Info().MaxPacket}
	}
	done := uint32(0)
	if at == 0 {
		done = r.Header() // the runner writes it, in the end
	}
	for done < uint32(len(page)) {
		n := min(most, uint32(len(page))-done)
		if err := s.storeStep(ctx, &packet.StoreRequest{Action: packet.StoreWrite, Offset: at + done, Bytes: page[done : done+n]}, programTime); err != nil {
			return err
		}
		done += n
		if progress != nil {
			progress(int(at+done), total)
		}
	}
	return nil
}

// commit makes what was written the current program. If the answer is lost, what is stored tells whether that has happened.
func (s *Session) commit(ctx context.Context, before *packet.StoreResponse, q *packet.StoreRequest) error {
	work := programTime + time.Duration(q.Length)*time.Second/hashRate
	err := s.storeStep(ctx, q, work)
	var silent *TimeoutError
	if !errors.As(err, &silent) || ctx.Err() != nil {
		return err
	}
	now, asked := s.LookStore(ctx)
	switch {
	case asked != nil:
		return errors.Join(err, asked)
	case now.Sequence != before.Sequence && now.Length == q.Length && bytes.Equal(now.Digest[:], q.Bytes):
		return nil
	}
	return s.storeStep(ctx, q, work)
}

// ClearStore makes the runner forget what it keeps.
func (s *Session) ClearStore(ctx context.Context) error {
	r, err := s.LookStore(ctx)
	if err != nil {
		return err
	}
	if err := s.notTicking(ctx); err != nil {
		return err
	}
	clear := &step{request: &packet.StoreRequest{Action: packet.StoreClear}, reply: smallReply, work: 2 * eraseTime(r)}
	return s.storeRefused(ctx, s.exclusive(ctx, func() error { return s.insist(ctx, []*step{clear}) }))
}

// ReadStore returns the first bytes of the current program's records, of which LookStore tells the length.
func (s *Session) ReadStore(ctx context.Context, length int) ([]byte, error) {
	var records []byte
	err := s.exclusive(ctx, func() (err error) {
		records, err = s.fetch(ctx, &regionStore, Span{Length: length})
		return err
	})
	return records, err
}

var regionStore = packet.RegionStore

func (s *Session) storeStep(ctx context.Context, q *packet.StoreRequest, work time.Duration) error {
	return s.exclusive(ctx, func() error {
		st := &step{request: q, reply: smallReply, work: work}
		if err := s.series(ctx, s.opt.Timeout, st); err != nil {
			return err
		}
		return st.err
	})
}

// eraseTime is how long erasing a page may take.
func eraseTime(r *packet.StoreResponse) time.Duration {
	return time.Duration(r.EraseMS) * time.Millisecond
}

// storeRefused says more of what the runner said against a request.
func (s *Session) storeRefused(ctx context.Context, err error) error {
	var refused *RemoteError
	if !errors.As(err, &refused) || refused.Op != packet.MsgStore {
		return err
	}
	if refused.Status == packet.StatusBadState {
		if status, asked := s.Status(ctx); asked == nil && status.State == packet.StateTicking {
			return TickingError{}
		}
	}
	return &StoreError{Err: refused}
}
