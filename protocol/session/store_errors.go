package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A NoStoreError says that a runner keeps no programs.
type NoStoreError struct{ Board string }

func (e *NoStoreError) Error() string {
	return fmt.Sprintf("the runner of %s keeps no programs: it has no flash for that", cmp.Or(e.Board, "this board"))
}

// Hint says what to do next.
func (*NoStoreError) Hint() string {
	return "start the program from here after each reset (copaflash deploy --rate), or take a board with a store: docs/stored-programs.md lists them"
}

// A StoreSizeError says that a program is too large to be kept.
type StoreSizeError struct{ Needs, Have uint64 } // bytes of records

func (e *StoreSizeError) Error() string {
	return fmt.Sprintf("the program takes %d bytes of flash, and a slot of the board has %d: %d too many", e.Needs, e.Have, e.Needs-e.Have)
}

// Hint says what to do next.
func (*StoreSizeError) Hint() string {
	return "keep loops rolled up, use smaller arrays and tables, or take a board with larger slots"
}

// A StoreUnitError says that no packet has room for what flash is written in.
type StoreUnitError struct{ Unit, MaxPacket uint32 } // bytes

func (e *StoreUnitError) Error() string {
	return fmt.Sprintf("the runner's flash is written %d bytes at a time, and its packets have %d at most", e.Unit, e.MaxPacket)
}

// Hint says what to do next.
func (*StoreUnitError) Hint() string { return "flash the runner of this version" }

// A StoreError says that a runner could not keep a program. The one that it kept before is still the one that it keeps.
type StoreError struct{ Err *RemoteError }

func (e *StoreError) Error() string {
	return fmt.Sprintf("the program was not stored: %v", e.Err)
}

func (e *StoreError) Unwrap() error { return e.Err }

// Hint says what to do next.
func (e *StoreError) Hint() string {
	switch e.Err.Status {
	case packet.StatusDigestMismatch, packet.StatusNotStored:
		return "the flash does not hold what was written: try again; if it happens again, it is worn out. What was stored before is still there"
	case packet.StatusBadState, packet.StatusBusy:
		return "end what goes on there (copaflash stop), then store the program again. What was stored before is still there"
	}
	return "flash the runner of this version, then store the program again. What was stored before is still there"
}

// A BootError says that a record of the stored program was refused when the runner started.
type BootError struct {
	Record uint32 // from 1 on
	Status packet.Status
}

func (e *BootError) Error() string {
	doc, _, _ := strings.Cut(e.Status.Doc(), ";")
	return fmt.Sprintf("record %d was refused: %v: %s", e.Record, e.Status, doc)
}

// Hint says what to do next.
func (*BootError) Hint() string {
	return "store the program again (copaflash deploy --store): compiled anew it is as this runner takes it; or forget it: copaflash store clear"
}

// Booted is what went wrong with the stored program when the runner started, nil for nothing.
func Booted(r *packet.StoreResponse) error {
	if r.State != packet.StoredRefused {
		return nil
	}
	return &BootError{r.Record, r.Refusal}
}
