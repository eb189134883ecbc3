package packet

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
)

var digest = bytes.Repeat([]byte{0xd1}, DigestLength)

var someRequests = []Request{
	&HelloRequest{Version: 1, Nonce: 0xdeadbeef},
	&BeginRequest{Arch: ArchAarch64, Features: FeatNeon, CodeLength: 4096, DataLength: 64, BSSLength: 1 << 20, PatchLength: 9, Entries: []uint32{0, 512}, Digest: digest},
	&ChunkRequest{Region: RegionData, Offset: 70000, Bytes: []byte{1, 2, 3}},
	&SealRequest{},
	&RunRequest{Entry: 1, Count: 1000, Period: 500, Rest: 1 << 31, Limit: 1 << 33, Silence: 1 << 34},
	&ReadRequest{Offset: 16, Length: 400},
	&WriteRequest{Offset: 16, Bytes: []byte{0, 0, 0x80, 0x3f}},
	&StatusRequest{},
	&DropRequest{},
	&BaudRequest{Baud: 921600},
	&StartRequest{Period: 16000, Rest: 1 << 31, Limit: 64000, Tasks: []uint32{0, 1, 1, 10}, Misses: 3, Silence: 1 << 40, Safe: 64, Histograms: 256, Watchdog: 500, Pins: 68},
	&StopRequest{},
	&LiveRequest{},
	&ApplyRequest{List: 64, Tick: 1000},
	&SubscribeRequest{List: 64, Every: 10, Ring: 1024, Length: 4096, Batch: 12},
	&CaptureRequest{List: 64, Ring: 1024, Length: 4096, Offset: 16, Trigger: TriggerRising, Threshold: 0x3f800000, After: 800, Type: TriggerTypeF32},
	&SwapRequest{Gather: 64, Scatter: 128, Scratch: 192, Tasks: []uint32{0, 1}, Trial: 100, Safe: 256, Telemetry: 320, Pins: 1 << 16},
	&StoreRequest{Action: StoreCommit, Bytes: digest, Length: 4000, Flags: StoreAutostart},
}

var someResponses = []Response{
	&HelloResponse{
		Version: 1, Session: 77, Arch: ArchX86_64, Features: FeatSSE41 | FeatAVX2, Board: "local", Firmware: "1.0",
		BootNonce: 5, CodeCapacity: 1 << 20, DataCapacity: 1 << 24, MaxPacket: 4096, Window: 65536,
		SampleCapacity: 1000, TimerHz: 1_000_000_000, Bauds: []uint32{}, State: StateReady, Digest: digest, Nonce: 7,
		LoopFeatures: LoopCapture, LiveCapacity: 4096, Guard: 9,
	},
	&BeginResponse{},
	&ChunkResponse{Status: StatusOutOfRange, Detail: 4096},
	&SealResponse{},
	&RunResponse{Runs: 10, Total: 1 << 40, Min: 3, Max: 9, Late: 1, Sticky: 2},
	&ReadResponse{Bytes: []byte{1, 2, 3, 4}},
	&WriteResponse{},
	&StatusResponse{
		State: StateFaulted, Digest: digest, Counters: Counters{FramesOK: 1, CRCErrors: 2, FramingErrors: 3, Overruns: 4, Duplicates: 5},
		Fault: &Fault{Kind: FaultMemory, PC: 0xffff_ffff_8000_0000, Address: 16, Entry: 1, Run: 2, Cause: 0x96000045, Inside: false},
	},
	&DropResponse{},
	&BaudResponse{},
	&StartResponse{Start: 1 << 33},
	&StopResponse{Counts: LoopCounts{End: LoopEndStopped, Ticks: 1000, Swap: SwapKept}, Start: 9, Figures: someFigures, Sticky: 1},
	&LiveResponse{Counts: LoopCounts{End: LoopEndFault, Missed: 3}, Figures: someFigures, Fault: &Fault{Kind: FaultMemory, Run: 1000, Inside: true}},
	&ApplyResponse{Tick: 1001},
	&SubscribeResponse{Status: StatusOutOfRange, Detail: 4096},
	&CaptureResponse{},
	&SwapResponse{},
	&StoreResponse{
		SlotLength: 32 << 10, Page: 1024, Unit: 4, EraseMS: 25, State: StoredRefused, Sequence: 7, Flags: StoreAutostart, Length: 4000,
		Digest: [DigestLength]byte(digest), Record: 9, Refusal: StatusOutOfRange,
	},
}

var someFigures = AppendFigures(nil, [3]Figure{{1, 2, 3}, {4, 5, 1 << 40}, {}})

func TestRequestsSurvive(t *testing.T) {
	require.Len(t, someRequests, len(messageInfo))
	for _, want := range someRequests {
		t.Run(want.Code().String(), func(t *testing.T) {
			body, err := EncodeRequest(want)
			require.NoError(t, err)
			assert.Equal(t, want.Code(), PeekCode(body))
			got, err := DecodeRequest(body)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestResponsesSurvive(t *testing.T) {
	require.Len(t, someResponses, len(messageInfo))
	for _, want := range someResponses {
		t.Run(want.Code().String(), func(t *testing.T) {
			body, err := EncodeResponse(want)
			require.NoError(t, err)
			assert.Equal(t, want.Code(), PeekCode(body))
			got, err := DecodeResponse(body)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestFailuresAreShort(t *testing.T) {
	for _, c := range []struct {
		r    Response
		want string
	}{
		{&HelloResponse{Status: StatusBadVersion, Version: 9}, "a30001012202" + "09"},
		{&BeginResponse{Status: StatusNoMemory, Detail: 4096}, "a300020124" + "02191000"},
		{&SealResponse{Status: StatusDigestMismatch}, "a200040128"},
		{&ReadResponse{Status: StatusOutOfRange}, "a200060127"},
		{&StatusResponse{Status: StatusBusy}, "a20009012d"},
	} {
		body, err := EncodeResponse(c.r)
		require.NoError(t, err)
		assert.Equal(t, c.want, hex.EncodeToString(body))
		got, err := DecodeResponse(body)
		require.NoError(t, err)
		assert.Equal(t, c.r.Result(), got.Result())
	}
}

func TestRefusal(t *testing.T) {
	body, err := Refusal(0, StatusBadMessage)
	require.NoError(t, err)
	assert.Equal(t, "a200000120", hex.EncodeToString(body))
}

func TestUnknownKeysArePassedOver(t *testing.T) {
	// status request with an extra key 30: {1: [true, -1, h'00', "x"]}, as deep as may be
	body := unhex(t, "a2000918"+"1ea10184f52041006178")
	got, err := DecodeRequest(body)
	require.NoError(t, err)
	assert.Equal(t, &StatusRequest{}, got)
}

func TestMissingKeysAreErrors(t *testing.T) {
	_, err := DecodeRequest(unhex(t, "a3000601000218"+"64")) // read with both keys
	require.NoError(t, err)
	_, err = DecodeRequest(unhex(t, "a200060100")) // without length
	require.ErrorIs(t, err, ErrMalformed)
	assert.Contains(t, err.Error(), "missing keys [2]")
	_, err = DecodeResponse(unhex(t, "a10006")) // without status
	require.ErrorIs(t, err, ErrMalformed)
	_, err = DecodeResponse(unhex(t, "a200060100")) // status ok without bytes
	require.ErrorIs(t, err, ErrMalformed)
}

func TestMalformedBodies(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"empty":                    {"", errShort},
		"not a map":                {"8109", errNotMap},
		"short":                    {"a100", errShort},
		"trailing byte":            {"a1000900", errTrailing},
		"indefinite map":           {"bf0009ff", errKind},
		"indefinite bytes":         {"a30007010002" + "5f4101ff", errKind},
		"long head":                {"a1001809", errMinimal},
		"long head, 2 bytes":       {"a300060119" + "00ff0200", errMinimal},
		"long head, 4 bytes":       {"a30006011a" + "0000ffff0200", errMinimal},
		"long head, 8 bytes":       {"a30006011b" + "00000000ffffffff0200", errMinimal},
		"reserved head":            {"a1001c", errKind},
		"keys descend":             {"a301000006020a", errKeys},
		"key twice":                {"a3000601000100", errKeys},
		"text key":                 {"a20009" + "617800", errKeys},
		"tag":                      {"a2000901c100", errKind},
		"float":                    {"a2000901f90000", errKind},
		"undefined":                {"a2000901f7", errKind},
		"too deep":                 {"a20009181e" + "8181818100", errDepth},
		"deep map":                 {"a20009181e" + "a100a100a100a10000", errDepth},
		"bytes beyond the end":     {"a30007010002" + "5affffffff00", errShort},
		"array beyond the end":     {"a20009181e" + "9bffffffffffffffff00", errShort},
		"map beyond the end":       {"bbffffffffffffffff0009", errShort},
		"no message code":          {"a10101", nil},
		"unknown message code":     {"a10017", nil},
		"large message code":       {"a1001818", nil},
		"offset beyond 32 bits":    {"a30006011b" + "00000001000000000200", nil},
		"negative offset":          {"a3000601200200", nil},
		"text for bytes":           {"a300070100026161", nil},
		"begin with short digest":  {"a900020102020003010400050006000781000841" + "00", nil},
		"begin without an entry":   {"a9000201020200030104000500060007800858" + "20" + hex.EncodeToString(digest), nil},
		"begin with 17 entries":    {"a90002010202000301040005000600079100000000000000000000000000000000000858" + "20" + hex.EncodeToString(digest), nil},
		"count as a boolean":       {"a300060100" + "02f5", nil},
		"count as null":            {"a300060100" + "02f6", errKind},
		"array for bytes":          {"a300070100028101", nil},
		"count as text":            {"a300060100" + "026130", nil},
		"arch beyond 8 bits":       {"a9000201190100020003010400050006000781000858" + "20" + hex.EncodeToString(digest), nil},
		"hello version not number": {"a3000101410102" + "00", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeRequest(unhex(t, c.body))
			require.ErrorIs(t, err, ErrMalformed)
			if c.want != nil {
				assert.ErrorIs(t, err, c.want)
			}
		})
	}
}

func TestWrongResponses(t *testing.T) {
	hello := func(change func(*HelloResponse)) Response {
		r := *someResponses[0].(*HelloResponse)
		change(&r)
		return &r
	}
	for name, r := range map[string]Response{
		"session 0":         hello(func(r *HelloResponse) { r.Session = 0 }),
		"tiny packet":       hello(func(r *HelloResponse) { r.MaxPacket = 100 }),
		"huge packet":       hello(func(r *HelloResponse) { r.MaxPacket = 1 << 20 }),
		"no window":         hello(func(r *HelloResponse) { r.Window = 4000 }),
		"stopped timer":     hello(func(r *HelloResponse) { r.TimerHz = 0 }),
		"long text":         hello(func(r *HelloResponse) { r.Board = string(make([]byte, 65)) }),
		"many rates":        hello(func(r *HelloResponse) { r.Bauds = make([]uint32, 17) }),
		"half a digest":     hello(func(r *HelloResponse) { r.Digest = digest[:DigestLength-1] }),
		"half digest again": &StatusResponse{Digest: digest[:1], State: StateReady},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := EncodeResponse(r)
			require.Error(t, err)
			body, err := encode(r.Code(), formOf(r)) // past the sender's own check
			require.NoError(t, err)
			_, err = DecodeResponse(body)
			require.ErrorIs(t, err, ErrMalformed)
		})
	}
}

func TestAck(t *testing.T) {
	want := Ack{Bitmap: 0x80000001, Window: 16384}
	body := want.Append(nil)
	assert.Equal(t, "0100008000400000", hex.EncodeToString(body))
	got, err := DecodeAck(append(body, 0xff))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = DecodeAck(body[:7])
	assert.ErrorIs(t, err, ErrMalformed)
}

func TestDigestCoversEverything(t *testing.T) {
	base := func() (BeginRequest, [3][]byte) {
		return BeginRequest{Arch: ArchAarch64, Features: 1 << 40, BSSLength: 3, Entries: []uint32{0, 4}},
			[3][]byte{{1, 2, 3, 4}, {5}, {6, 7}}
	}
	r, b := base()
	seen := map[[DigestLength]byte]string{r.Sum(b[0], b[1], b[2]): "unchanged"}
	for name, change := range map[string]func(*BeginRequest, *[3][]byte){
		"arch":          func(r *BeginRequest, _ *[3][]byte) { r.Arch++ },
		"low features":  func(r *BeginRequest, _ *[3][]byte) { r.Features |= 1 },
		"high features": func(r *BeginRequest, _ *[3][]byte) { r.Features |= 1 << 32 },
		"bss":           func(r *BeginRequest, _ *[3][]byte) { r.BSSLength++ },
		"entry":         func(r *BeginRequest, _ *[3][]byte) { r.Entries[1]++ },
		"fewer entries": func(r *BeginRequest, _ *[3][]byte) { r.Entries = r.Entries[:1] },
		"code":          func(_ *BeginRequest, b *[3][]byte) { b[0][0]++ },
		"data":          func(_ *BeginRequest, b *[3][]byte) { b[1][0]++ },
		"patches":       func(_ *BeginRequest, b *[3][]byte) { b[2][0]++ },
		"border":        func(_ *BeginRequest, b *[3][]byte) { b[0], b[1] = b[0][:3], []byte{4, 5} },
	} {
		r, b := base()
		change(&r, &b)
		sum := r.Sum(b[0], b[1], b[2])
		assert.NotContains(t, seen, sum, "%s and %s", name, seen[sum])
		seen[sum] = name
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "digest-mismatch", StatusDigestMismatch.String())
	assert.Equal(t, "status -99", Status(-99).String())
	assert.Equal(t, "x86_64", ArchX86_64.String())
	assert.Equal(t, "sse41,neon,feature63", (FeatSSE41 | FeatNeon | 1<<63).String())
	assert.Equal(t, "", Features(0).String())
	assert.False(t, Region(64).Valid())
	assert.NotEmpty(t, FaultStack.Doc())
}

func TestNamesAreRead(t *testing.T) {
	assert.Greater(t, len(Archs()), 10)
	for _, a := range Archs() {
		back, err := ParseArch(a.String())
		require.NoError(t, err)
		assert.Equal(t, a, back)
	}
	for _, name := range []string{"", "vax"} {
		_, err := ParseArch(name)
		assert.EqualError(t, err, fmt.Sprintf("unknown architecture %q", name))
		_, err = ParseFeature(name)
		assert.EqualError(t, err, fmt.Sprintf("unknown feature %q", name))
	}
	var all Features
	names := Features(1<<64 - 1).Names()
	for _, name := range names {
		f, err := ParseFeature(name)
		require.NoError(t, err)
		assert.Equal(t, []string{name}, f.Names())
		all |= f
	}
	assert.Equal(t, []string{"sse41", "avx2", "neon", "soft-float", "bare-entry"}, names)
	assert.Equal(t, strings.Join(names, ","), all.String())
}

func FuzzDecode(f *testing.F) {
	for _, r := range someRequests {
		body, err := EncodeRequest(r)
		require.NoError(f, err)
		f.Add(body)
	}
	for _, r := range someResponses {
		body, err := EncodeResponse(r)
		require.NoError(f, err)
		f.Add(body)
	}
	for _, r := range vectors.Read(f, "bodies.txt", 4) {
		f.Add(r.Bytes(f, 1))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, err := DecodeRequest(body); err == nil {
			again, err := EncodeRequest(r)
			require.NoError(t, err)
			back, err := DecodeRequest(again)
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(r, back))
		}
		if r, err := DecodeResponse(body); err == nil && r.Result() == StatusOK {
			again, err := EncodeResponse(r)
			require.NoError(t, err)
			back, err := DecodeResponse(again)
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(r, back))
		}
	})
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// TestImageIsAnnouncedAsSent: BEGIN has the lengths and the digest of what the CHUNKs will bring.
func TestImageIsAnnouncedAsSent(t *testing.T) {
	m := Image{Arch: ArchRv64gc, Features: FeatSoftFloat, Code: []byte{1, 2, 3}, Data: []byte{4}, BSS: 60, Patches: []byte{5, 6}, Entries: []uint32{0, 2}}
	begin := m.Begin()
	sum := begin.Sum(m.Code, m.Data, m.Patches)
	assert.Equal(t, &BeginRequest{Arch: ArchRv64gc, Features: FeatSoftFloat, CodeLength: 3, DataLength: 1, BSSLength: 60, PatchLength: 2,
		Entries: []uint32{0, 2}, Digest: sum[:]}, begin)
	assert.Equal(t, sum, m.Digest())
	n := 0
	for region, part := range m.Regions() {
		assert.True(t, Region(region).Valid())
		n += len(part)
	}
	assert.Equal(t, m.Size(), n)
}

// TestStoresThatMakeNoSense: what is computed with the answer of a runner does not go wrong.
func TestStoresThatMakeNoSense(t *testing.T) {
	good := StoreResponse{SlotLength: 4096, Page: 1024, Unit: 4}
	body := func(change func(*StoreResponse)) []byte {
		r := good
		change(&r)
		b, err := encode(MsgStore, r.body())
		require.NoError(t, err)
		return b
	}
	_, err := DecodeResponse(body(func(*StoreResponse) {}))
	require.NoError(t, err)
	for name, change := range map[string]func(*StoreResponse){
		"no unit":           func(r *StoreResponse) { r.Unit = 0 },
		"no page":           func(r *StoreResponse) { r.Page = 0 },
		"no slot":           func(r *StoreResponse) { r.SlotLength = 0 },
		"part of a page":    func(r *StoreResponse) { r.SlotLength = 4000 },
		"part of a unit":    func(r *StoreResponse) { r.Unit = 24 },
		"a header too long": func(r *StoreResponse) { r.Page, r.Unit = 16, 16 },
		"a huge unit":       func(r *StoreResponse) { r.SlotLength, r.Page, r.Unit = 1<<31, 1<<30, 1<<30 },
		"too many records":  func(r *StoreResponse) { r.Length = 4096 - 31 },
		"no such state":     func(r *StoreResponse) { r.State = 99 },
		"no such status":    func(r *StoreResponse) { r.Refusal = 1 },
	} {
		_, err := DecodeResponse(body(change))
		assert.ErrorIs(t, err, ErrMalformed, name)
	}
}

func TestRecords(t *testing.T) {
	b := AppendRecord(AppendRecord(nil, []byte{0xa1, 0, 2}), []byte{0xa1, 0, 4})
	all, err := Records(append(b, 0, 0, 7))
	require.NoError(t, err, "a length of 0 ends them")
	assert.Equal(t, [][]byte{{0xa1, 0, 2}, {0xa1, 0, 4}}, all)
	for n := range len(b) {
		all, err := Records(b[:n])
		if n == 0 || n == 5 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrRecordCut)
		}
		assert.Len(t, all, n/5)
	}
	assert.Nil(t, DecodeStoreNote([]byte{0xa1, 0, 2}))
	assert.Nil(t, DecodeStoreNote([]byte{0xa1, 0, 0, 0}))
}
