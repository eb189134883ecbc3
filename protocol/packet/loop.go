package packet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// MaxTasks is how many tasks a loop has at most.
const MaxTasks = 16

// Histograms of loops have a bucket for each time below HistogramLinear, and HistogramOctave of them for each power of
// two from there on, so that the times of a bucket differ by 3 % at most (SPEC.md, histograms). HistogramBuckets are
// those of all times of 32 bits.
const (
	HistogramLinear  = 1 << linearBits
	HistogramOctave  = HistogramLinear / 2
	HistogramBuckets = HistogramLinear + (32-linearBits)*HistogramOctave

	linearBits = 6
)

// HistogramBucket is the bucket that counts a time. What is beyond the last one of a shorter histogram belongs into that.
func HistogramBucket(v uint32) int {
	if v < HistogramLinear {
		return int(v)
	}
	e := 31 - bits.LeadingZeros32(v)
	return HistogramLinear + (e-linearBits)*HistogramOctave + int(v>>(e-linearBits+1)&(HistogramOctave-1))
}

// StartRequest starts the loop. Times are in counts of the runner's timer, places are in live memory.
type StartRequest struct {
	Period     uint64   `cbor:"1,keyasint"`            // from one tick to the next
	Rest       uint32   `cbor:"2,keyasint"`            // and 2^-32 counts
	Limit      uint64   `cbor:"3,keyasint"`            // of a tick; 0: four periods
	Tasks      []uint32 `cbor:"4,keyasint"`            // entry and divisor of each, in order
	Misses     uint32   `cbor:"5,keyasint"`            // in a row that end the loop; 0: it goes on
	Silence    uint64   `cbor:"6,keyasint"`            // of the host that ends it; 0: it goes on
	Safe       uint32   `cbor:"7,keyasint"`            // list; 0: none
	Histograms uint32   `cbor:"8,keyasint"`            // 0: none
	Watchdog   uint32   `cbor:"9,keyasint,omitempty"`  // milliseconds; 0: not armed
	Pins       uint32   `cbor:"10,keyasint,omitempty"` // place of the lists for the pins in the code block; 0: none
}

// StopRequest ends the loop.
type StopRequest struct{}

// LiveRequest asks for the status of the loop.
type LiveRequest struct{}

// ApplyRequest has the values of a list stored between two ticks.
type ApplyRequest struct {
	List uint32 `cbor:"1,keyasint"`
	Tick uint32 `cbor:"2,keyasint"` // the first with the new values; one that has passed: the next
}

// SubscribeRequest asks for telemetry.
type SubscribeRequest struct {
	List   uint32 `cbor:"1,keyasint"` // 0: none any more
	Every  uint32 `cbor:"2,keyasint"` // ticks from one record to the next, at least 1
	Ring   uint32 `cbor:"3,keyasint"`
	Length uint32 `cbor:"4,keyasint"` // of the ring, bytes
	Batch  uint32 `cbor:"5,keyasint"` // records of a packet, at least 1
}

// CaptureRequest has records taken around a trigger.
type CaptureRequest struct {
	List      uint32      `cbor:"1,keyasint"` // 0: no capture any more
	Ring      uint32      `cbor:"2,keyasint"`
	Length    uint32      `cbor:"3,keyasint"` // of the ring, bytes
	Offset    uint32      `cbor:"4,keyasint"` // of the trigger's variable in the data block
	Trigger   Trigger     `cbor:"5,keyasint"`
	Threshold uint32      `cbor:"6,keyasint"` // of [Trigger.Order]
	After     uint32      `cbor:"7,keyasint"` // records after that of the trigger
	Type      TriggerType `cbor:"8,keyasint"`
}

// Order turns the bits of a value into an integer, as a signed one greater the further the
// value goes in the direction of the trigger. Beyond that of a NaN there is none.
func (t Trigger) Order(kind TriggerType, bits uint32) uint32 {
	if kind == TriggerTypeF32 {
		if v := math.Float32frombits(bits); v != v {
			return math.MaxInt32
		}
		if int32(bits) < 0 {
			bits = 1<<31 - bits // both zeros are 0
		}
	}
	if t == TriggerBelow || t == TriggerFalling {
		return ^bits
	}
	return bits
}

// SwapRequest goes on with the image that was loaded beside the running one.
type SwapRequest struct {
	Gather    uint32   `cbor:"1,keyasint"`           // list of the running program's data; 0: nothing
	Scatter   uint32   `cbor:"2,keyasint"`           // list of the new one's; 0: nothing
	Scratch   uint32   `cbor:"3,keyasint"`           // where the bytes lie meanwhile
	Tasks     []uint32 `cbor:"4,keyasint"`           // of the new program, as in StartRequest
	Trial     uint32   `cbor:"5,keyasint"`           // ticks in which a failure brings the old one back
	Safe      uint32   `cbor:"6,keyasint"`           // list of the new program; 0: none
	Telemetry uint32   `cbor:"7,keyasint"`           // list of the subscription in the new program; 0: it ends
	Pins      uint32   `cbor:"8,keyasint,omitempty"` // of the new program, as in StartRequest
}

// StartResponse answers START.
type StartResponse struct {
	Status Status `cbor:"1,keyasint"`
	Start  uint64 `cbor:"2,keyasint"` // when tick 0 is due, or the low 32 bits of it; with a status other than ok the detail
}

// StopResponse answers STOP, as LIVE is answered.
type StopResponse struct {
	Status  Status     `cbor:"1,keyasint"`
	Counts  LoopCounts `cbor:"2,keyasint"`
	Start   uint64     `cbor:"3,keyasint"` // when tick 0 was due, as START has answered it
	Figures []byte     `cbor:"4,keyasint"` // see Figures
	Sticky  uint32     `cbor:"5,keyasint"` // sticky arithmetic flags so far
	Fault   *Fault     `cbor:"6,keyasint,omitempty"`
}

// LiveResponse answers LIVE.
type LiveResponse StopResponse

// LoopCounts are the state of a loop.
type LoopCounts struct {
	_           struct{} `cbor:",toarray"`
	End         LoopEnd
	Ticks       uint32 // that have ended
	Missed      uint32
	Applied     uint32
	AppliedTick uint32 // from which on the last set is in effect
	Drops       uint32
	Capture     CaptureState
	CaptureNext uint32 // record of its ring that is written next
	CaptureTick uint32 // of the trigger
	Swap        SwapState
	SwapTick    uint32 // first tick of the new program, or of the old one again
}

// ApplyResponse answers APPLY.
type ApplyResponse struct {
	Status Status `cbor:"1,keyasint"`
	Tick   uint32 `cbor:"2,keyasint"` // that is next
}

// SubscribeResponse answers SUBSCRIBE.
type SubscribeResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// CaptureResponse answers CAPTURE.
type CaptureResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// SwapResponse answers SWAP.
type SwapResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// A Figure sums up a time of all ticks, in counts of the runner's timer.
type Figure struct {
	Min, Max uint32
	Total    uint64
}

// figureLength is that of a Figure in a StopResponse, in bytes.
const figureLength = 16

// Times are the figures of lateness, execution and slack.
func (r *StopResponse) Times() (f [3]Figure) {
	for i := range f {
		b := r.Figures[i*figureLength:]
		f[i] = Figure{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint64(b[8:])}
	}
	return f
}

// AppendFigures appends figures in the form of a StopResponse.
func AppendFigures(dst []byte, figures [3]Figure) []byte {
	for _, f := range figures {
		dst = binary.LittleEndian.AppendUint32(dst, f.Min)
		dst = binary.LittleEndian.AppendUint32(dst, f.Max)
		dst = binary.LittleEndian.AppendUint64(dst, f.Total)
	}
	return dst
}

// Code returns MsgStart.
func (*StartRequest) Code() Message { return MsgStart }

// Code returns MsgStop.
func (*StopRequest) Code() Message { return MsgStop }

// Code returns MsgLive.
func (*LiveRequest) Code() Message { return MsgLive }

// Code returns MsgApply.
func (*ApplyRequest) Code() Message { return MsgApply }

// Code returns MsgSubscribe.
func (*SubscribeRequest) Code() Message { return MsgSubscribe }

// Code returns MsgCapture.
func (*CaptureRequest) Code() Message { return MsgCapture }

// Code returns MsgSwap.
func (*SwapRequest) Code() Message { return MsgSwap }

// Code returns MsgStart.
func (*StartResponse) Code() Message { return MsgStart }

// Code returns MsgStop.
func (*StopResponse) Code() Message { return MsgStop }

// Code returns MsgLive.
func (*LiveResponse) Code() Message { return MsgLive }

// Code returns MsgApply.
func (*ApplyResponse) Code() Message { return MsgApply }

// Code returns MsgSubscribe.
func (*SubscribeResponse) Code() Message { return MsgSubscribe }

// Code returns MsgCapture.
func (*CaptureResponse) Code() Message { return MsgCapture }

// Code returns MsgSwap.
func (*SwapResponse) Code() Message { return MsgSwap }

// Result returns the status.
func (r *StartResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *StopResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *LiveResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *ApplyResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *SubscribeResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *CaptureResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *SwapResponse) Result() Status { return r.Status }

func (r *StartRequest) check() error   { return checkTasks(r.Tasks) }
func (*StopRequest) check() error      { return nil }
func (*LiveRequest) check() error      { return nil }
func (*ApplyRequest) check() error     { return nil }
func (*SubscribeRequest) check() error { return nil }
func (*CaptureRequest) check() error   { return nil }
func (r *SwapRequest) check() error    { return checkTasks(r.Tasks) }

func (*StartResponse) check() error     { return nil }
func (r *StopResponse) check() error    { return checkLoop(r) }
func (r *LiveResponse) check() error    { return checkLoop((*StopResponse)(r)) }
func (*ApplyResponse) check() error     { return nil }
func (*SubscribeResponse) check() error { return nil }
func (*CaptureResponse) check() error   { return nil }
func (*SwapResponse) check() error      { return nil }

func checkTasks(tasks []uint32) error {
	if n := len(tasks); n < 2 || n > 2*MaxTasks || n%2 != 0 {
		return fmt.Errorf("%d numbers of tasks, want two for each of 1 to %d", n, MaxTasks)
	}
	return nil
}

func checkLoop(r *StopResponse) error {
	if len(r.Figures) != 3*figureLength {
		return fmt.Errorf("%d bytes of figures, want %d", len(r.Figures), 3*figureLength)
	}
	return nil
}
