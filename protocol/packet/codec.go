package packet

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// ErrMalformed is wrapped by every decoding error.
var ErrMalformed = errors.New("malformed message body")

// requests and responses have a row for each message: responses in the form that they have on the wire.
var requests = sync.OnceValue(func() map[Message]form {
	return table[Request](
		&HelloRequest{}, &BeginRequest{}, &ChunkRequest{}, &SealRequest{}, &RunRequest{}, &ReadRequest{},
		&WriteRequest{}, &StatusRequest{}, &DropRequest{}, &BaudRequest{},
		&StartRequest{}, &StopRequest{}, &LiveRequest{}, &ApplyRequest{}, &SubscribeRequest{}, &CaptureRequest{}, &SwapRequest{}, &StoreRequest{},
	)
})

var responses = sync.OnceValue(func() map[Message]form {
	return table[answer](
		&HelloBody{}, &BeginResponse{}, &ChunkResponse{}, &SealResponse{}, &RunBody{}, &ReadResponse{},
		&WriteResponse{}, &StatusBody{}, &DropResponse{}, &BaudResponse{},
		&StartBody{}, &StopBody{}, &LiveBody{}, &ApplyResponse{}, &SubscribeResponse{}, &CaptureResponse{}, &SwapResponse{}, &StoreBody{},
	)
})

// An answer is a response in the form that it has on the wire.
type answer interface {
	Code() Message
	Result() Status
}

// A form is what decoding needs to know about one Go type.
type form struct {
	typ      reflect.Type
	required uint64 // bit k set: key k must be there
	bytes    uint64 // bit k set: key k holds a byte string; the decoder would take an array as well
}

func table[T interface{ Code() Message }](values ...T) map[Message]form {
	forms := make(map[Message]form, len(values))
	for _, v := range values {
		typ := reflect.TypeOf(v).Elem()
		f := form{typ: typ, required: 1}
		for i := range typ.NumField() {
			key, opts, _ := strings.Cut(typ.Field(i).Tag.Get("cbor"), ",")
			if key == "-" {
				continue
			}
			var k uint
			if _, err := fmt.Sscan(key, &k); err != nil || k > 63 {
				panic("packet: " + typ.Name() + ": bad tag on " + typ.Field(i).Name)
			}
			if !strings.Contains(opts, "omitempty") {
				f.required |= 1 << k
			}
			if typ.Field(i).Type == reflect.TypeFor[[]byte]() {
				f.bytes |= 1 << k
			}
		}
		forms[v.Code()] = f
	}
	return forms
}

var (
	encMode = must(cbor.EncOptions{
		Sort:          cbor.SortCoreDeterministic,
		IndefLength:   cbor.IndefLengthForbidden,
		NilContainers: cbor.NilContainerAsEmpty,
		TagsMd:        cbor.TagsForbidden,
	}.EncMode())

	decMode = must(cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  MaxDepth,
		MaxArrayElements: max(MaxEntries, MaxBauds, 2*MaxTasks),
		MaxMapPairs:      64,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		UTF8:             cbor.UTF8RejectInvalid,
	}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// EncodeRequest returns the body of a request.
func EncodeRequest(r Request) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("encode %v: %w", r.Code(), err)
	}
	return encode(r.Code(), r)
}

// EncodeResponse returns the body of a response. With a status other than
// StatusOK only the keys that the failure needs are sent.
func EncodeResponse(r Response) ([]byte, error) {
	if r.Result() == StatusOK {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("encode %v: %w", r.Code(), err)
		}
		return encode(r.Code(), formOf(r))
	}
	switch r := r.(type) {
	case *BeginResponse, *ChunkResponse, *SealResponse, *RunResponse, *SubscribeResponse, *CaptureResponse, *SwapResponse:
		return encode(r.Code(), formOf(r))
	case *StartResponse:
		return encode(r.Code(), &SealResponse{r.Status, r.Detail})
	case *HelloResponse:
		return encode(r.Code(), &struct {
			Status  Status `cbor:"1,keyasint"`
			Version uint8  `cbor:"2,keyasint"`
		}{r.Status, r.Version})
	}
	return encode(r.Code(), &WriteResponse{Status: r.Result()})
}

// formOf returns what a response is on the wire.
func formOf(r Response) any {
	if s, ok := r.(sendable); ok {
		return s.body()
	}
	return r
}

// Refusal returns the response that carries nothing but a failure; code may be
// one that no message has.
func Refusal(code Message, status Status) ([]byte, error) {
	return encode(code, &WriteResponse{Status: status})
}

// encode marshals v and puts key 0 in front. Key 0 sorts before every other
// key, and no message has more than 22 of them, so the map's head is one byte.
func encode(code Message, v any) ([]byte, error) {
	rest, err := encMode.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %v: %w", code, err)
	}
	if rest[0] < 0xa0 || rest[0] >= 0xb7 || code > 23 {
		return nil, fmt.Errorf("encode %v: body does not start with a short map", code)
	}
	return append([]byte{rest[0] + 1, 0, byte(code)}, rest[1:]...), nil
}

// PeekCode returns the message code of a body, 0 if it has none.
func PeekCode(body []byte) Message {
	// Key 0 comes first in a deterministic map, and codes are below 24.
	if len(body) >= 3 && body[0] > 0xa0 && body[0] <= 0xb7 && body[1] == 0 && body[2] < 24 {
		return Message(body[2])
	}
	return 0
}

// DecodeRequest decodes the body of a request.
func DecodeRequest(body []byte) (Request, error) {
	v, required, keys, err := decode(requests(), body)
	if err != nil {
		return nil, err
	}
	r := v.(Request)
	if err = missing(required, keys); err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v: %w", ErrMalformed, r.Code(), err)
	}
	return r, nil
}

// DecodeResponse decodes the body of a response.
func DecodeResponse(body []byte) (Response, error) {
	v, required, keys, err := decode(responses(), body)
	if err != nil {
		return nil, err
	}
	a := v.(answer)
	if a.Result() != StatusOK {
		required = statusKeys
	}
	if err := missing(required, keys); err != nil {
		return nil, fmt.Errorf("%w: %v: %w", ErrMalformed, a.Code(), err)
	}
	r, ok := v.(Response)
	if !ok {
		if r, err = v.(sent).received(); err != nil {
			return nil, fmt.Errorf("%w: %v: %w", ErrMalformed, a.Code(), err)
		}
	}
	if r.Result() != StatusOK {
		return r, nil
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%w: %v: %w", ErrMalformed, r.Code(), err)
	}
	return r, nil
}

// decode returns the value of a body, and the keys that it must have and those that it has as bit sets.
func decode(forms map[Message]form, body []byte) (v any, required, keys uint64, err error) {
	keys, byteKeys, err := scanBody(body)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	code := PeekCode(body)
	f, ok := forms[code]
	if !ok {
		return nil, 0, 0, fmt.Errorf("%w: no message has code %d", ErrMalformed, code)
	}
	if wrong := keys & f.bytes &^ byteKeys; wrong != 0 {
		return nil, 0, 0, fmt.Errorf("%w: %v: keys %v are not byte strings", ErrMalformed, code, keyList(wrong))
	}
	v = reflect.New(f.typ).Interface()
	if err := decMode.Unmarshal(body, v); err != nil {
		return nil, 0, 0, fmt.Errorf("%w: %v: %w", ErrMalformed, code, err)
	}
	return v, f.required, keys, nil
}

func missing(required, keys uint64) error {
	if wanting := required &^ keys; wanting != 0 {
		return fmt.Errorf("missing keys %v", keyList(wanting))
	}
	return nil
}

// statusKeys are the keys that every response has: message and status.
const statusKeys = 1<<0 | 1<<1

func keyList(mask uint64) []int {
	var keys []int
	for k := range 64 {
		if mask>>k&1 != 0 {
			keys = append(keys, k)
		}
	}
	return keys
}
