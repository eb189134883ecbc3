package target

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Resident tells which program is on the board, whoever loaded it: its digest, nil for none, and
// whether it can be used as it is. After a fault it has to be loaded again.
func (t *Runner) Resident(ctx context.Context) (digest []byte, usable bool, err error) {
	s, err := t.Status(ctx)
	if err != nil {
		return nil, false, err
	}
	return s.Digest, s.State == packet.StateReady, nil
}

// Adopt is the program that is on the board, with the values that its variables have there. The
// image must be that program's.
func (t *Runner) Adopt(ctx context.Context, m *image.Image) (device.Program, error) {
	digest, usable, err := t.Resident(ctx)
	if err != nil {
		return nil, err
	}
	if want := m.Digest(); !usable || !bytes.Equal(digest, want[:]) {
		return nil, fmt.Errorf("the program %s is not on the board, ready to be used", hex.EncodeToString(want[:8]))
	}
	return t.adopted(m), nil
}

// adopted is the program that is on the board.
func (t *Runner) adopted(m *image.Image) *Program {
	l := t.links[0]
	p := &Program{t: t, link: l}
	p.become(m)
	l.resident = p
	return p
}

// AttachStranger takes over the loop that runs there, or the one that has ended last, of a program that is not
// known here: it can be asked for its status, and stopped.
func (t *Runner) AttachStranger(ctx context.Context) (device.Loop, error) {
	p := t.adopted(&image.Image{})
	l, err := p.link.Session.AttachStranger(ctx)
	if err != nil {
		return nil, ended(err)
	}
	return p.link.run(&remoteLoop{Loop: l, t: t, link: p.link, prog: p}), nil
}
