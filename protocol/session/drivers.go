package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Registers that stand for drivers, as SPEC.md has them.
const (
	driversAt    = 0x10000
	driverLength = 0x40
	maxDrivers   = 1 << 14 // bytes of their table
)

var regionDrivers = packet.RegionDrivers

// Drivers reads the table of the drivers that a runner's registers stand for: a line for each. It is empty where they
// are those of a chip.
func (s *Session) Drivers(ctx context.Context) (string, error) {
	if s.Info().LoopFeatures&packet.LoopDrivers == 0 {
		return "", nil
	}
	if known := s.drivers.Load(); known != nil {
		return *known, nil
	}
	const head = 4
	var all []byte
	err := s.exclusive(ctx, func() error {
		length, err := s.fetch(ctx, &regionDrivers, Span{Length: head})
		if err != nil {
			return err
		}
		n := binary.LittleEndian.Uint32(length)
		if n < head || n > maxDrivers {
			return &AnswerError{packet.MsgRead, fmt.Errorf("a table of drivers of %d bytes", n)}
		}
		all, err = s.fetch(ctx, &regionDrivers, Span{Offset: head, Length: int(n - head)})
		return err
	})
	if err != nil {
		return "", err
	}
	text := string(all)
	s.drivers.Store(&text)
	return text, nil
}

// nameDrivers says in fault records which driver has failed, as far as the table is known.
func (s *Session) nameDrivers(steps []*step) {
	for _, st := range steps {
		switch a := st.answer.(type) {
		case *packet.LiveResponse:
			s.nameDriver(a.Fault)
		case *packet.StopResponse:
			s.nameDriver(a.Fault)
		case *packet.StatusResponse:
			s.nameDriver(a.Fault)
		}
	}
}

func (s *Session) nameDriver(f *packet.Fault) {
	table := s.drivers.Load()
	if f == nil || table == nil || f.Kind != packet.FaultDevice || f.Address < driversAt {
		return
	}
	lines := strings.Split(*table, "\n")
	if n := (f.Address - driversAt) / driverLength; n < uint64(len(lines)) {
		f.Device, _, _ = strings.Cut(lines[n], " ")
	}
}

// deviceFailed is the reason of a START that a driver has failed: the runner keeps it for STATUS.
func (s *Session) deviceFailed(ctx context.Context, err error) error {
	var refused *RemoteError
	if s.Info().LoopFeatures&packet.LoopDrivers == 0 || !errors.As(err, &refused) || refused.Status != packet.StatusFault {
		return nil
	}
	status, failed := s.Status(ctx)
	if failed != nil || status.Fault == nil || status.Fault.Kind != packet.FaultDevice {
		return nil
	}
	return &FaultError{Fault: *status.Fault}
}

// failed is what a fault record of the kind device says.
func failed(f *packet.Fault) string {
	name := f.Device
	if name == "" {
		name = fmt.Sprintf("the driver of the register at %#08x", f.Address)
	}
	why := "the system refused it"
	if text, known := errnoTexts[f.Cause]; known {
		why = text
	}
	return fmt.Sprintf("%s failed in tick %d: %s (error %d of Linux)", name, f.Run, why, f.Cause)
}

// errnoTexts say what errors of Linux mean here; this program may run on another system, whose numbers are others.
var errnoTexts = map[uint64]string{
	1: "the runner does not allow that", 5: "it could not be read or written", 6: "the device is gone", 11: "nothing new has come for a second",
	16: "another program has it", 19: "the device is gone", 22: "it does not take that value", 34: "its value has more than 32 bits",
	61: "nothing new has come for a second", 71: "what it gave is no frame of its identifier", 84: "what it gave is no whole number",
	70:  "no frame could be sent for a second: nobody acknowledges them, or the bus is full",
	100: "the interface is down",
	110: "it did not return in time",
}

const failedHint = "check that the device is connected and nobody else uses it; copaflash runner channels lists what a runner allows"
