package hil_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/stencils"
)

// serviceOps are the ops that services carry out, on operands of a type.
var serviceOps = map[packet.Service]struct {
	op    graph.Op
	dtype graph.DType
}{
	packet.ServiceF32Add: {graph.OpAdd, graph.F32}, packet.ServiceF32Sub: {graph.OpSub, graph.F32},
	packet.ServiceF32Mul: {graph.OpMul, graph.F32}, packet.ServiceF32Div: {graph.OpDiv, graph.F32},
	packet.ServiceF32Lt: {graph.OpLt, graph.F32}, packet.ServiceF32Le: {graph.OpLe, graph.F32}, packet.ServiceF32Eq: {graph.OpEq, graph.F32},
	packet.ServiceI32ToF32: {graph.OpToF32, graph.I32}, packet.ServiceF32ToI32: {graph.OpToI32, graph.F32},
	packet.ServiceI32Floordiv: {graph.OpFloorDiv, graph.I32}, packet.ServiceI32Mod: {graph.OpMod, graph.I32},
}

// serviceBlock is the data block of testdata/services/service.c behind the flags and the
// service: operands are random bits of which masks leave some and set some.
type serviceBlock struct {
	Random, Digest    uint32
	Leave, Set, Share [16]uint32
}

// hardOperands leave of random bits what takes the long ways.
var hardOperands = []serviceBlock{
	{ // subnormals, powers of two and their neighbours, long runs of equal bits, exponents at
		// the ends and near each other; as integers small divisors and large quotients
		Random: 0x9e3779b9,
		Leave: [16]uint32{
			0xffffffff, 0xffffffff, 0x7fffffff, 0x807fffff, 0x007fffff, 0x80000fff, 0x8000000f, 0xff800000,
			0xff800001, 0xffc00000, 0xbfffffff, 0xc0ffffff, 0x8fffffff, 0x000000ff, 0x0000ffff, 0x80000001,
		},
		Set: [16]uint32{
			0, 0, 0, 0, 0, 1, 0x00400000, 0x007fffff, 0x00800000, 0x3f800000, 0x40000000, 0x70000000, 0x7f000000, 0x7f800000, 0x00555555, 0x80000000,
		},
		Share: [16]uint32{
			0, 0, 0, 0, 0, 0, 0xffffffff, 0x7fffffff, 0xff800000, 0x7f800000, 0x80000000, 0x7fffff00, 0x7f000000, 0x00ffffff, 0x0000ffff, 0x80ffffff,
		},
	},
	{ // subnormals of few bits, which take the most steps to normalise, with each other and
		// with significands that give many bits of a quotient
		Random: 0x7f4a7c15,
		Leave: [16]uint32{
			1, 3, 7, 7, 0xf, 0xf, 0x1f, 0x3f, 0xff, 0x7ff, 0xffff, 0x80000003, 0x80000007, 0x8000000f, 0x007fffff, 0xffffffff,
		},
		Set: [16]uint32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 0x3f800000, 0x007ffff0, 0x7f000000},
	},
}

func (b *serviceBlock) next() uint32 {
	b.Random ^= b.Random << 13
	b.Random ^= b.Random >> 17
	b.Random ^= b.Random << 5
	return b.Random
}

// stateOffset is where it lies in the data block.
const stateOffset = 8

// begin lets the program on the board go on from here.
func (b *serviceBlock) begin(ctx context.Context, p *target.Program) error {
	state := binary.LittleEndian.AppendUint32(nil, b.Random)
	return p.Write(ctx, stateOffset, binary.LittleEndian.AppendUint32(state, b.Digest))
}

// step does what a run of service.c does.
func (b *serviceBlock) step(s stencils.Service) {
	choice := b.next()
	a := b.next()&b.Leave[choice&15] | b.Set[choice>>4&15]
	c := b.next()&b.Leave[choice>>8&15] | b.Set[choice>>12&15]
	r := a
	if s != stencils.NoService {
		of := serviceOps[s.Of()]
		args := []uint64{uint64(a), uint64(c ^ a&b.Share[choice>>16&15])}
		bits, _ := eval.Scalar(of.op, of.dtype, args[:of.op.Info().Arity]...)
		r = uint32(bits)
	}
	if r&0x7fffffff > 0x7f800000 { // integers as well, there as here
		r = 0x7fc00000
	}
	b.Digest = bits.RotateLeft32(b.Digest, 5) ^ r
}

// TestServiceBounds counts the instructions of every service that a runner lends, on
// operands that take long, and holds them against the bounds that the budget of an
// image is made of. The results must be those of the oracle.
func TestServiceBounds(t *testing.T) {
	t.Parallel()
	// In QEMU a RISC-V core that waits for an interrupt hears none while time does not pass.
	for name, sleep := range map[string]string{"microbit": "off", "mps2-an385": "off", "sifive-e": "on"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			board, err := boards.Find(name)
			require.NoError(t, err)
			needTools(t, &board)
			b := serviceBoard{t: t, board: board, args: []string{"-icount", fmt.Sprintf("shift=%d,sleep=%s", icountShift, sleep)}}
			defer emulatortest.Alone(t)()
			b.boot()
			defer func() { b.close() }()
			lib, err := stencils.Load(board.Arch)
			require.NoError(t, err)
			code, symbols := linkC(t, board.Arch, 0, []string{"-Wl,--undefined=nothing"}, "testdata/services/service.c")
			least, most := b.count(code, symbols, stencils.NoService, hardOperands[0])
			require.Equal(t, least, most, "the program itself always takes the same")
			for _, service := range packet.Services() {
				s, found, of := stencils.Calls(service), 0, serviceOps[service]
				for _, operands := range hardOperands {
					_, n := b.count(code, symbols, s, operands)
					found = max(found, n-most+1) // the program itself has one in the place of the service
				}
				bound := lib.ServiceInsns(s)
				t.Logf("%v.%v: %d instructions, bound %d", of.op, of.dtype, found, bound)
				assert.LessOrEqual(t, found, bound, "%v.%v", of.op, of.dtype)
				assert.LessOrEqual(t, bound, found+found/8+5, "%v.%v: the bound says too little", of.op, of.dtype)
			}
		})
	}
}

// Operands for each service, and how many of them a run command is given: after an
// interrupt these have to be run again.
const (
	serviceBatches = 8
	batchRuns      = 256
)

// serviceBoard is an emulated board. Under -icount it misses a frame now and then while it is idle, as its time runs
// ahead, and is booted again.
type serviceBoard struct {
	t     *testing.T
	board boards.Board
	args  []string
	dev   *target.Runner
	close func()
}

func (b *serviceBoard) boot() {
	b.t.Helper()
	m, err := emulator.Start(b.t.Context(), b.board, emulator.Options{Args: b.args, PlainLine: true})
	require.NoError(b.t, err)
	b.close = func() { m.Close() }
	b.dev, err = target.OpenRunner(b.t.Context(), m.TTY(), patient)
	require.NoError(b.t, err)
	b.close = func() {
		b.dev.Close()
		m.Close()
	}
}

// count is countService, on a board that answers.
func (b *serviceBoard) count(code []byte, symbols map[string]cSymbol, s stencils.Service, operands serviceBlock) (least, most int) {
	b.t.Helper()
	least, most, err := countService(b.t, b.dev, code, symbols, s, operands)
	for try := 0; err != nil && try < 5; try++ {
		b.t.Logf("%v; once more", err)
		b.close()
		b.boot()
		least, most, err = countService(b.t, b.dev, code, symbols, s, operands)
	}
	require.NoError(b.t, err)
	return least, most
}

// countService runs service.c, and returns the least and the most instructions of a run,
// with what the program itself takes. Operands and results must be those of the
// oracle. An error is one of the line.
func countService(t *testing.T, dev *target.Runner, code []byte, symbols map[string]cSymbol, s stencils.Service, operands serviceBlock) (least, most int, _ error) {
	t.Helper()
	img := bareImage(t, dev.Arch(), code, symbols["program"].at&^1)
	kind := patch.Kind{Unit: 4, Place: packet.RegionData, Target: packet.TargetCode,
		Fields: []patch.Field{{Len: 32}}, Patches: []patch.Patch{{Place: 4, Target: symbols["nothing"].at}}}
	if s != stencils.NoService {
		kind.Target, kind.Patches[0].Target = packet.TargetService, uint32(s.Of())
		img.Features |= packet.FeatSoftFloat
	}
	var err error
	img.Data, err = binary.Append(make([]byte, stateOffset), binary.LittleEndian, operands)
	require.NoError(t, err)
	img.Patches, err = patch.Encode([]patch.Kind{kind})
	require.NoError(t, err)
	loaded, err := dev.LoadImage(t.Context(), img)
	if err != nil {
		return 0, 0, err
	}
	defer loaded.Release()

	state := operands
	least = math.MaxInt
	for range serviceBatches {
		few, many, err := state.runBatch(t.Context(), dev, loaded)
		if err != nil {
			return 0, 0, err
		}
		// An interrupt, for the timer or for a request that the host repeats, does not come
		// at the same place again.
		for again := 0; again < 20 && many > most; again++ {
			_, n, err := state.runBatch(t.Context(), dev, loaded)
			if err != nil {
				return 0, 0, err
			}
			many = min(many, n)
		}
		least, most = min(least, few), max(most, many)
		for range batchRuns {
			state.step(s)
		}
		raw, err := loaded.Read(t.Context(), stateOffset, 8)
		if err != nil {
			return 0, 0, err
		}
		require.Equal(t, [2]uint32{state.Random, state.Digest}, [2]uint32{binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:])},
			"operands and results of %v", serviceOps[s.Of()].op)
	}
	return least, most, nil
}

// runBatch returns the least and the most instructions of a run from this state on.
func (b *serviceBlock) runBatch(ctx context.Context, dev *target.Runner, p *target.Program) (least, most int, _ error) {
	if err := b.begin(ctx, p); err != nil {
		return 0, 0, err
	}
	r, err := dev.Session().Run(ctx, session.Run{Count: batchRuns})
	if err != nil {
		return 0, 0, err
	}
	insns := func(ticks uint64) int {
		return int((dev.Session().Ticks(ticks) + 1<<(icountShift-1)) >> icountShift)
	}
	return insns(r.Min), insns(r.Max), nil
}
