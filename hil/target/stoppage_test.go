package target

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// trap is what the input "mode" is for the programs of faulty to go wrong.
const trap = 0x1234

// faulty is an image whose entry stores at address 0 if the input mode is trap, after it has spoiled the word at an offset.
func faulty(t *testing.T, sound *image.Image, spoil uint32) *image.Image {
	img := *sound
	mode, ok := img.Symbol(image.Input, "mode")
	require.True(t, ok)
	entry := int64(img.Entries[0].Offset)
	for len(img.Code)%image.Alignment != 0 {
		img.Code = append(img.Code[:len(img.Code):len(img.Code)], 0)
	}
	at := int64(len(img.Code))
	var stub []byte
	put := binary.LittleEndian.AppendUint32
	switch img.Arch {
	case packet.ArchX86_64:
		stub = put(put([]byte{0x81, 0xbf}, mode.Offset), trap)              // cmpl $trap, mode(%rdi)
		stub = append(stub, 0x75, 18)                                       // jne
		stub = put(put(append(stub, 0xc7, 0x87), spoil), 0xdeadbeef)        // movl $0xdeadbeef, spoil(%rdi)
		stub = append(stub, 0x31, 0xc0, 0xc7, 0x00, 1, 0, 0, 0)             // xor %eax, %eax; movl $1, (%rax)
		stub = put(append(stub, 0xe9), uint32(entry-at-int64(len(stub))-5)) // jmp
	case packet.ArchAarch64:
		for _, word := range []uint32{
			0xb9400001 | mode.Offset/4<<10, // ldr w1, [x0, mode]
			0x52800002 | trap<<5,           // mov w2, trap
			0x6b02003f,                     // cmp w1, w2
			0x54000081,                     // b.ne
			0xb9000001 | spoil/4<<10,       // str w1, [x0, spoil]
			0xd2800001,                     // mov x1, 0
			0xb9000020,                     // str w0, [x1]
			0x14000000 | uint32((entry-at-28)/4)&0x3ffffff, // b
		} {
			stub = put(stub, word)
		}
	default:
		t.Fatal("no code for", img.Arch)
	}
	img.Code = append(img.Code, stub...)
	img.Entries = []image.Entry{{Name: img.Entries[0].Name, Offset: uint32(at)}}
	return &img
}

// TestAfterAFault: a program that has done wrong can be read, and goes on at the next run with the inputs that it
// had, but for those that are set, and with constants as they were; one with states wants these, too.
func TestAfterAFault(t *testing.T) {
	if native.GuardFaults() != nil {
		t.Log("a fault ends the process: see TestFaults")
		return
	}
	for _, name := range localNames(t) {
		for _, states := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", states"}[states], func(t *testing.T) {
				dev, err := Open(t.Context(), name, Options{GuardFaults: true})
				require.NoError(t, err)
				defer dev.Close()
				g := graph.New()
				x, mode := g.InputI32("x", 1), g.InputI32("mode", 0)
				table, err := g.Const(graph.Tensor{DType: graph.I32, Shape: graph.Shape{3}, Bits: []uint32{100, 200, 300}})
				require.NoError(t, err)
				out := table.Mul(x).Sum().Add(mode).FloorDiv(mode.Sub(g.I32(1)))
				outs := []compiler.Output{{Name: "out", Value: out}}
				if states {
					n, err := g.State("n", graph.I32, nil, []uint32{0})
					require.NoError(t, err)
					require.NoError(t, g.SetNext(n, n.Add(x)))
					outs = append(outs, compiler.Output{Name: "n", Value: n})
				}
				prog, err := compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
				require.NoError(t, err)
				broken := *prog
				constant := bytes.Index(prog.Image.Data, binary.LittleEndian.AppendUint32(nil, 200))
				require.Positive(t, constant)
				broken.Image = faulty(t, prog.Image, uint32(constant))
				p, err := dev.Load(t.Context(), &broken)
				require.NoError(t, err)
				defer p.Release()
				at := func(v graph.Value) uint32 {
					s, ok := prog.Variable(v.ID())
					require.True(t, ok)
					return s.Offset
				}
				set := func(v graph.Value, n uint32) device.Piece {
					return device.Piece{Offset: at(v), Bytes: binary.LittleEndian.AppendUint32(nil, n)}
				}
				reads := []device.Span{device.SpanOf(prog.Output(0))}
				call := func(want int32, runs int, writes ...device.Piece) {
					t.Helper()
					if states {
						writes = append(writes, device.Piece{Offset: prog.Output(1).Offset, Bytes: make([]byte, 4)})
					}
					r, err := p.Call(t.Context(), device.Call{Runs: runs, Writes: writes, Reads: reads})
					require.NoError(t, err)
					require.Equal(t, want, int32(binary.LittleEndian.Uint32(r.Data[0])))
				}
				call(-4200, 1, set(x, 7))
				for range 3 {
					var fault *session.FaultError
					_, err = p.Call(t.Context(), device.Call{Runs: 2, Writes: []device.Piece{set(mode, trap)}, Reads: reads})
					require.ErrorAs(t, err, &fault)
					require.Equal(t, packet.FaultMemory, fault.Kind)
					_, err = p.Call(t.Context(), device.Call{Reads: reads})
					require.NoError(t, err, "it can be read")
					if states {
						_, err = p.Call(t.Context(), device.Call{Runs: 1, Writes: []device.Piece{set(mode, 0)}})
						require.ErrorContains(t, err, "set all of them")
						require.ErrorAs(t, err, &fault)
						_, err = p.Call(t.Context(), device.Call{Reads: reads})
						require.NoError(t, err, "it still can be read")
					} else if d, ok := p.(device.Direct); ok {
						require.ErrorAs(t, d.Run(t.Context()), &fault, "with the same input")
						copy(d.Memory()[at(mode):], make([]byte, 4))
						require.NoError(t, d.Run(t.Context()))
					}
					call(-4200, 1, set(mode, 0))
					require.Zero(t, p.Flags())
					call(0, 3, set(mode, 1))
					require.Equal(t, []string{"divide"}, p.Flags().Names())
					call(-4200, 1, set(mode, 0))
				}
				afterAFailedSample(t, dev, &broken)
			})
		}
	}
}

// afterAFailedSample has a pool run a program again whose run for one sample was stopped.
func afterAFailedSample(t *testing.T, dev device.Device, prog *compiler.Program) {
	p, err := pool.New(t.Context(), dev, prog, 2)
	require.NoError(t, err)
	defer p.Close()
	mode, _ := prog.Image.Symbol(image.Input, "mode")
	var got [10]int32
	run := func(wrong int) error {
		return p.Each(t.Context(), len(got), func(w *pool.Worker, i int) error {
			w.Reset()
			w.Set(mode, 0, uint64(2+i))
			if i == wrong {
				w.Set(mode, 0, trap)
			}
			err := w.RunTimes(t.Context(), 2)
			got[i] = int32(w.Get(prog.Output(0), 0))
			return err
		})
	}
	for range 2 {
		var sample *pool.Error
		require.ErrorAs(t, run(3), &sample)
		require.Equal(t, 3, sample.Sample)
		require.NoError(t, run(-1))
		for i, q := range got {
			require.EqualValues(t, (600+2+i)/(1+i), q)
		}
	}
}

// TestAfterALimit: a run that takes too long is no end: with more time the program goes on, with its inputs.
func TestAfterALimit(t *testing.T) {
	for _, name := range localNames(t) {
		t.Run(name, func(t *testing.T) {
			dev, err := Open(t.Context(), name, Options{})
			require.NoError(t, err)
			defer dev.Close()
			compute := func(dev device.Device) (device.Program, []device.Piece, []device.Span) {
				g := graph.New()
				x := g.InputF32("x", 1)
				v, err := g.Fori(300_000, []graph.Value{x}, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
					return []graph.Value{c[0].Sin().Add(x)}, nil
				})
				require.NoError(t, err)
				prog, err := compiler.Compile(g, []compiler.Output{{Name: "out", Value: v[0]}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
				require.NoError(t, err)
				p, err := dev.Load(t.Context(), prog)
				require.NoError(t, err)
				s, ok := prog.Variable(x.ID())
				require.True(t, ok)
				return p, []device.Piece{{Offset: s.Offset, Bytes: []byte{0, 0, 0, 0x40}}}, []device.Span{device.SpanOf(prog.Output(0))}
			}
			fresh, two, out := compute(dev)
			want, err := fresh.Call(t.Context(), device.Call{Writes: two, Runs: 1, Limit: 9 * time.Second, Reads: out})
			require.NoError(t, err)
			p, two, out := compute(dev)
			for range 3 {
				_, err = p.Call(t.Context(), device.Call{Writes: two, Runs: 1, Limit: 50 * time.Microsecond})
				var fault *session.FaultError
				require.ErrorAs(t, err, &fault)
				require.Equal(t, packet.FaultTimeLimit, fault.Kind)
				got, err := p.Call(t.Context(), device.Call{Runs: 1, Limit: 9 * time.Second, Reads: out})
				require.NoError(t, err)
				require.Equal(t, want.Data, got.Data)
			}
		})
	}
}
