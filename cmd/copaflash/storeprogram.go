package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/release"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// storeFlags say how a program is kept by a board.
type storeFlags struct {
	store, autostart bool
	watchdog         bool // its time was given, which may be none
	starts           bool // the loop starts at once, too
}

func (f *storeFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.store, "store", false, "keep the program in the board's flash, too: it is loaded by itself after each reset")
	f.addAutostart(c)
}

func (f *storeFlags) addAutostart(c *cobra.Command) {
	c.Flags().BoolVar(&f.autostart, "autostart", false, "with --store: start the loop by itself after each reset, and at once")
}

// notStored are flags of loops that mean nothing for a program that starts without a host.
var notStored = []string{"ticks", "runs", "get", "watchdog", "for", "detach"}

func (f *storeFlags) check(c *cobra.Command) error {
	f.watchdog = c.Flags().Changed("hardware-watchdog")
	switch {
	case f.autostart && !f.store:
		return &failure{Code: exitUsage, Message: "--autostart is for a program that the board keeps", Hint: "give --store, too"}
	case f.store:
		return refuseFlags(c, notStored, "is not for a program that is stored: it starts without a host", "leave it out")
	}
	return nil
}

// openFor opens the target of a loop. A program is stored over the port itself.
func (a *app) openFor(ctx context.Context, j *loopJob) (target.Target, error) {
	if j.store == nil {
		return a.openTarget(ctx, j.at)
	}
	return a.openStore(ctx, j.at)
}

// openStore opens a target that must have a store.
func (a *app) openStore(ctx context.Context, at place) (*target.Runner, error) {
	at.runner = true // programs are kept by runners
	dev, err := a.openDirectly(ctx, at)
	if err != nil {
		return nil, err
	}
	r, ok := dev.(*target.Runner)
	if !ok {
		dev.Close()
		return nil, &session.NoStoreError{Board: dev.Name()}
	}
	if _, err := r.Session().LookStore(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// storeLoaded has the board keep a program that is loaded, with what the command line sets.
func (a *app) storeLoaded(ctx context.Context, r *target.Runner, img *image.Image, j *loopJob) error {
	changes, err := parseChanges(img, j.sets, setRules{first: true})
	if err != nil {
		return err
	}
	return a.keepProgram(ctx, r, img, j, changes)
}

// keepProgram has the board keep a program with values of variables.
func (a *app) keepProgram(ctx context.Context, r *target.Runner, img *image.Image, j *loopJob, changes []change) error {
	c, err := j.config(img)
	loop := &c
	if errors.Is(err, device.ErrNoRate) && !j.store.autostart {
		loop, err = nil, nil // it is loaded only
	}
	if err != nil {
		return err
	}
	if j.store.autostart && !j.store.watchdog {
		if c.Watchdog = r.AloneWatchdog(c.Period); c.Watchdog > 0 {
			a.ui.note("the hardware watchdog resets the board when nothing ticks for %v (--hardware-watchdog)", c.Watchdog)
		}
		j.start.hardware = c.Watchdog
	}
	j.store.starts = loop != nil && (j.store.autostart || j.hz != 0)
	p, err := storedProgramOf(ctx, r, img, loop, changes)
	if err != nil {
		return err
	}
	p.Autostart = j.store.autostart
	s := r.Session()
	if err := s.Store(ctx, p, func(done, total int) { a.ui.progress("storing", done, total) }); err != nil {
		return err
	}
	a.ui.finish()
	j.stored, err = lookStore(ctx, s)
	if err == nil {
		a.ui.note("stored: %s", j.stored.line())
	}
	return err
}

// storedProgramOf makes what the board keeps: a note for people, and the requests that a host would send.
func storedProgramOf(ctx context.Context, r *target.Runner, img *image.Image, loop *device.LoopConfig, changes []change) (*session.StoredProgram, error) {
	writes := make([]device.Piece, len(changes))
	for i, c := range changes {
		writes[i] = c.piece
	}
	bodies, err := r.Record(ctx, img, writes, loop)
	if err != nil {
		return nil, err
	}
	note, err := storeNote(int(r.Hello().MaxPacket)-packet.HeaderLength-packet.TrailerLength, img, loop, changes)
	if err != nil {
		return nil, err
	}
	p := &session.StoredProgram{Records: packet.AppendRecord(nil, note)}
	for _, b := range bodies {
		p.Records = packet.AppendRecord(p.Records, b)
	}
	return p, nil
}

const (
	noteText  = 64  // longest name in a note, bytes
	noteExtra = 32  // of a note beside its texts: map, keys and lengths
	noteRoom  = 640 // longest note
)

// storeNote is the note of a program, in so many bytes at most: values that have no room are left out, and counted.
func storeNote(room int, img *image.Image, loop *device.LoopConfig, changes []change) ([]byte, error) {
	n := packet.StoreNote{Version: []byte(release.Version), Name: []byte(filepath.Base(cmp.Or(img.Source, "program")))}
	n.Name = n.Name[:min(len(n.Name), noteText)]
	if loop != nil {
		n.Rate = strconv.AppendFloat(nil, loop.Hz, 'g', -1, 64)
	}
	left := min(room, noteRoom) - noteExtra - len(n.Version) - len(n.Name) - len(n.Rate)
	for i, c := range changes {
		line := fmt.Sprintf("%s=%s\n", c.symbol.Name, strings.ReplaceAll(value(c.symbol.Decode(c.piece.Bytes)).String(), " ", ""))
		more := fmt.Sprintf("... %d more\n", len(changes)-i)
		if len(line)+len(more) > left {
			n.Values = append(n.Values, more...)
			break
		}
		left -= len(line)
		n.Values = append(n.Values, line...)
	}
	return packet.EncodeStoreNote(&n)
}

// storeInfo is what a board's store is and holds, in JSON documents.
type storeInfo struct {
	SlotBytes uint32         `json:"slot_bytes"` // that a program may take
	AtStart   string         `json:"at_start"`   // what became of the program: none, done, held, refused, or next (stored since)
	Refused   *refusedRecord `json:"refused,omitempty"`
	Program   *storedInfo    `json:"program,omitempty"` // missing: there is none
}

// refusedRecord says why a stored program was not carried out.
type refusedRecord struct {
	Record  uint32 `json:"record"` // from 1 on
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// storedInfo is a stored program.
type storedInfo struct {
	Name      string   `json:"name,omitempty"`
	Digest    string   `json:"digest,omitempty"`
	RateHz    float64  `json:"rate_hz"` // 0: it is loaded, and not started
	Values    []string `json:"values"`
	Autostart bool     `json:"autostart"`
	Bytes     uint32   `json:"bytes"`
	Sequence  uint32   `json:"sequence"` // counts what was stored
	Version   string   `json:"version,omitempty"`
}

// headRead is how many bytes of a stored program have its note, and the record with its digest.
const headRead = noteRoom + 256

// lookStore tells what a board keeps.
func lookStore(ctx context.Context, s *session.Session) (*storeInfo, error) {
	r, err := s.LookStore(ctx)
	if err != nil {
		return nil, err
	}
	info := &storeInfo{SlotBytes: r.Capacity(), AtStart: r.State.String()}
	var refused *session.BootError
	if errors.As(session.Booted(r), &refused) {
		info.Refused = &refusedRecord{r.Record, r.Refusal.String(), refused.Error(), refused.Hint()}
	}
	if r.Length == 0 {
		return info, nil
	}
	p := &storedInfo{Autostart: r.Flags&packet.StoreAutostart != 0, Bytes: r.Length, Sequence: r.Sequence, Values: []string{}}
	info.Program = p
	head, err := s.ReadStore(ctx, int(min(r.Length, headRead)))
	if err != nil {
		return nil, err
	}
	bodies, err := packet.Records(head)
	if err != nil && !errors.Is(err, packet.ErrRecordCut) {
		return nil, err
	}
	for _, b := range bodies {
		p.take(b)
	}
	return info, nil
}

// take takes what a record tells of a program.
func (p *storedInfo) take(body []byte) {
	if n := packet.DecodeStoreNote(body); n != nil {
		p.Name, p.Version = string(n.Name), string(n.Version)
		if hz, err := strconv.ParseFloat(string(n.Rate), 64); err == nil && hz > 0 && hz <= math.MaxFloat32 { // it may say anything
			p.RateHz = hz
		}
		p.Values = append(p.Values, strings.FieldsFunc(string(n.Values), func(r rune) bool { return r == '\n' })...)
		return
	}
	if q, err := packet.DecodeRequest(body); err == nil {
		if begin, ok := q.(*packet.BeginRequest); ok {
			p.Digest = hex.EncodeToString(begin.Digest)
		}
	}
}

// line is what people are told of a store, in short.
func (i *storeInfo) line() string {
	p := i.Program
	if p == nil {
		return fmt.Sprintf("nothing, of %d bytes", i.SlotBytes)
	}
	how := "loaded after a reset"
	switch {
	case p.Autostart && p.RateHz > 0:
		how = "started after a reset with " + hertz(p.RateHz)
	case p.Autostart:
		how = "started after a reset"
	}
	return fmt.Sprintf("%s, %s, %d of %d bytes", cmp.Or(p.Name, "a program"), how, p.Bytes, i.SlotBytes)
}

// atStartTexts say what became of a stored program.
var atStartTexts = map[string]string{
	"none":    "nothing was stored",
	"done":    "carried out",
	"held":    "held back: by a button, a break on the line, or since the runner had faulted",
	"refused": "refused",
	"next":    "stored since: the next reset carries it out",
}

func (i *storeInfo) atStart() string {
	text := cmp.Or(atStartTexts[i.AtStart], i.AtStart)
	if i.Refused != nil {
		text += ": " + i.Refused.Message
	}
	return text
}

// rows are what people are told of a store, in full.
func (i *storeInfo) rows() [][]string {
	rows := [][]string{{"stored", i.line()}, {"at the start", i.atStart()}}
	if i.Refused != nil {
		rows = append(rows, []string{"next step", i.Refused.Hint})
	}
	p := i.Program
	if p == nil {
		return rows
	}
	for _, r := range [][]string{{"program", p.Digest}, {"values", strings.Join(p.Values, " ")}, {"made by", strings.TrimSpace("copaflash " + p.Version)}} {
		if r[1] != "" {
			rows = append(rows, r)
		}
	}
	return append(rows, []string{"number", fmt.Sprint(p.Sequence)})
}

// showStored tells of a program that is stored and loaded, and does not run.
func (a *app) showStored(ctx context.Context, dev target.Target, p device.Program, img *image.Image, j *loopJob) error {
	if err := j.preset(ctx, p, img); err != nil {
		return err
	}
	if a.ui.json {
		info := imageInfo(img)
		return a.ui.doc(&loopResult{document: okDocument(j.command), Target: dev.Name(), Board: dev.Board(), Digest: digestText(img), Program: &info, Stored: j.stored})
	}
	return a.ui.table(j.stored.rows())
}

// afterStore says of a loop that does not start that the board will not start it either.
func (j *loopJob) afterStore(err error) error {
	if j.stored == nil {
		return err
	}
	f := *classify(err)
	f.Message = "the program is stored, but its loop does not start: " + f.Message
	f.Hint = strings.TrimSuffix("after a reset it will not either: store another program, or forget this one with copaflash store clear; "+f.Hint, "; ")
	return &f
}
