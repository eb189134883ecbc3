package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
	columns "github.com/copaflash/copaflash/hil/table"
	"github.com/copaflash/copaflash/hil/table/udp"
)

// sink takes records into a file.
type sink interface {
	Record(r device.Record) error
	// End completes the file.
	End(s *device.LoopStatus) error
}

// sinks write recordings, by the end of the file's name.
var sinks = map[string]func(file string, h record.Header) (sink, error){
	".csv":  tableSink,
	".npz":  tableSink,
	".cbor": newCBORSink,
}

// sinks are the file, and the receiver of datagrams.
func (a *app) sinks(f *recordFlags, h record.Header, symbols []*image.Symbol) (sink, error) {
	var list severalSinks
	if f.udp != "" {
		s, err := udp.Dial(f.udp, symbols)
		if err != nil {
			return nil, noReceiver(err)
		}
		list = append(list, udpSink{s, func() { a.endSending(s, f.udp) }})
	}
	if f.output != "" {
		s, err := sinks[filepath.Ext(f.output)](f.output, h)
		if err != nil {
			return nil, errors.Join(err, list.End(nil))
		}
		list = append(list, s)
	}
	return list, nil
}

func noReceiver(err error) error {
	return &failure{Code: exitUsage, Message: err.Error(), Hint: "give the receiver as HOST:PORT, such as --udp localhost:9870"}
}

type severalSinks []sink

func (s severalSinks) Record(r device.Record) error {
	for _, to := range s {
		if err := to.Record(r); err != nil {
			return err
		}
	}
	return nil
}

func (s severalSinks) End(st *device.LoopStatus) (err error) {
	for _, to := range s {
		err = errors.Join(err, to.End(st))
	}
	return err
}

type udpSink struct {
	*udp.Sender
	end func()
}

func (s udpSink) Record(r device.Record) error { return s.Send(r) }

func (s udpSink) End(*device.LoopStatus) error {
	s.end()
	return nil
}

// tableFile is a recording as a table, which is written when it has ended.
type tableFile struct {
	file string
	*columns.Recorder
	rows, width int
}

// maxTableCells bounds the numbers of a table, which is held in memory until it is written: 2 GiB of them.
const maxTableCells = 1 << 28

// tableForms write tables, by the end of the file's name.
var tableForms = map[string]func(*columns.Table, *bytes.Buffer) error{
	".csv": func(t *columns.Table, b *bytes.Buffer) error { return t.WriteCSV(b) },
	".npz": func(t *columns.Table, b *bytes.Buffer) error { return t.WriteNPZ(b) },
}

func tableSink(file string, h record.Header) (sink, error) {
	t := &tableFile{file: file, Recorder: columns.NewRecorder(pointersTo(h.Variables), h.Period)}
	t.width = len(t.Table().Columns) + 4
	// A place that cannot be written to is not found out after an hour.
	return t, t.write()
}

func (t *tableFile) Record(r device.Record) error {
	if t.rows++; t.rows*t.width > maxTableCells {
		return &failure{Code: exitFailed, Message: fmt.Sprintf("%s: %d records are as many as a table in memory holds", t.file, t.rows-1),
			Hint: "they are in the file; for longer recordings use -o run.cbor, which is written as it comes, or a greater --every"}
	}
	return t.Add(r)
}

func (t *tableFile) End(*device.LoopStatus) error { return t.write() }

func (t *tableFile) write() error {
	var b bytes.Buffer
	if err := tableForms[filepath.Ext(t.file)](t.Table(), &b); err != nil {
		return err
	}
	return writeFile(t.file, b.Bytes())
}

// cborFile is a recording that is written as it comes.
type cborFile struct {
	*record.Writer
	f *os.File
}

func newCBORSink(file string, h record.Header) (sink, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, cannotWrite(file, err)
	}
	w, err := record.NewWriter(f, h)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &cborFile{w, f}, nil
}

func (c *cborFile) End(s *device.LoopStatus) error {
	var st *record.Status
	if s != nil {
		st = record.StatusOf(s)
	}
	err := c.Writer.End(st)
	if e := c.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return cannotWrite(c.f.Name(), err)
	}
	return nil
}
