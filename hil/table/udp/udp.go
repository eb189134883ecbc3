// Package udp forwards records as JSON in UDP datagrams, as PlotJuggler's UDP server with the JSON protocol
// reads them: one object with a field "timestamp" in seconds, and one field for each variable.
package udp

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"strconv"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Fields of every object that are no variables. PlotJuggler takes the first one for the time axis.
const (
	timeField = "timestamp" // seconds since tick 0 was due, by the device's clock
	loopField = "copaflash" // object with the tick's number and the records lost so far
)

// largest is about how long a datagram may be, in bytes; a longer record goes in several with the same time.
const largest = 8 << 10

// Sender sends records to one receiver. Nobody needs to listen there.
type Sender struct {
	conn    net.Conn
	fields  []field
	lost    uint64
	failed  uint64
	size    int
	message []byte
}

// field is a variable of the records.
type field struct {
	name   []byte // in JSON, with its colon
	symbol *image.Symbol
}

// Dial makes a sender for records of some variables, one after the other, to HOST:PORT.
func Dial(address string, symbols []*image.Symbol) (*Sender, error) {
	conn, err := net.Dial("udp", address)
	if err != nil {
		return nil, fmt.Errorf("udp %s: %w", address, err)
	}
	s := &Sender{conn: conn}
	for _, sym := range symbols {
		name := sym.Name
		if name == timeField || name == loopField {
			name += "_"
		}
		text, err := json.Marshal(name)
		if err != nil {
			conn.Close()
			return nil, err
		}
		s.fields = append(s.fields, field{append(text, ':'), sym})
		s.size += sym.Size()
	}
	return s, nil
}

// Send sends a record. That nobody listens is no error: Failed counts what the system did not take.
func (s *Sender) Send(r device.Record) error {
	if len(r.Data) != s.size {
		return fmt.Errorf("a record of %d bytes, not of %d", len(r.Data), s.size)
	}
	s.lost += uint64(r.Drops)
	head := strconv.AppendFloat([]byte(`{"`+timeField+`":`), r.Time.Seconds(), 'f', 9, 64)
	b := append(s.message[:0], head...)
	b = append(b, `,"`+loopField+`":{"tick":`...)
	b = strconv.AppendUint(b, uint64(r.Tick), 10)
	b = append(b, `,"lost":`...)
	b = append(strconv.AppendUint(b, s.lost, 10), '}')
	data := r.Data
	for _, f := range s.fields {
		n := f.symbol.Size()
		if len(b) > largest {
			s.write(append(b, '}'))
			b = append(b[:0], head...)
		}
		b = appendField(b, f, data[:n])
		data = data[n:]
	}
	s.write(append(b, '}'))
	s.message = b
	return nil
}

func (s *Sender) write(datagram []byte) {
	if _, err := s.conn.Write(datagram); err != nil {
		s.failed++
	}
}

// Failed is how many datagrams the system did not take, as where nobody listens on this machine.
func (s *Sender) Failed() uint64 { return s.failed }

// Close ends the sender.
func (s *Sender) Close() error { return s.conn.Close() }

// appendField adds a variable. JSON has no NaN and no infinity, and a receiver would refuse the whole object:
// a scalar that is none is left out, an element is null.
func appendField(b []byte, f field, raw []byte) []byte {
	v := f.symbol.Decode(raw)
	number := func(i int) (float64, bool) {
		x := v.DType.Number(v.DType.At(v.Bits, i))
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	if len(v.Shape) == 0 {
		x, ok := number(0)
		if !ok {
			return b
		}
		return appendNumber(append(append(b, ','), f.name...), v.DType, x)
	}
	b = append(append(append(b, ','), f.name...), '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if x, ok := number(i); ok {
			b = appendNumber(b, v.DType, x)
		} else {
			b = append(b, "null"...)
		}
	}
	return append(b, ']')
}

func appendNumber(b []byte, t graph.DType, x float64) []byte {
	switch {
	case t == graph.F32:
		return strconv.AppendFloat(b, x, 'g', -1, 32)
	case !t.IsFloat():
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}
