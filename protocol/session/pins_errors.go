package session

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
)

const pinsWhat = "pins: lists of operations on registers"

const vainHint = "the device did not answer: check what is connected, and its clock; then start again"

// A PinsError says that a runner refused the lists for the pins.
type PinsError struct {
	Entry uint32 // its number in all lists, from 1 on
	Vain  bool   // the entry, of the list that START carries out, waited in vain; else it is not allowed
}

func (e *PinsError) Error() string {
	if e.Vain {
		return fmt.Sprintf("entry %d of the pins waited in vain", e.Entry)
	}
	return fmt.Sprintf("the runner does not allow entry %d of the pins: it is malformed, its register lies outside of the chip's windows, or behind the lists there is no room for their code", e.Entry)
}

// Hint says what to do next.
func (e *PinsError) Hint() string {
	if e.Vain {
		return vainHint
	}
	return "compile the program again and flash the runner of this version, or the one that is built with the driver that the program is bound to: " +
		"it has other registers, or wants more room, than this program has"
}

// canPins reports what keeps the runner from carrying out lists at that place.
func (s *Session) canPins(place uint32) error {
	if place != 0 && s.Info().LoopFeatures&packet.LoopPins == 0 {
		return &FeatureError{pinsWhat, packet.LoopPins}
	}
	return nil
}

// pinsRefused says more of what the runner said against a START or SWAP with lists at that place, 0: none.
func pinsRefused(err error, place uint32) error {
	var refused *RemoteError
	if place == 0 || !errors.As(err, &refused) || refused.Detail == 0 {
		return err
	}
	vain := refused.Status == packet.StatusFault
	if vain || refused.Status == packet.StatusOutOfRange {
		return fmt.Errorf("%w (%w)", &PinsError{Entry: refused.Detail, Vain: vain}, err)
	}
	return err
}

// vain is what a fault record of the kind wait says.
func vain(f *packet.Fault, about string) string {
	if about != "" {
		about += " did not answer as it should: "
	}
	return about + fmt.Sprintf("entry %d of the pins waited in vain in tick %d: the register at %#08x read as %#x", f.Entry, f.Run, f.Address, f.Cause)
}
