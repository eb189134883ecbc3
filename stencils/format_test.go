package stencils

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// first is the first stencil of a file that which holds for.
func first(t *testing.T, f *libfile.Library, which func(*libfile.Stencil) bool) *libfile.Stencil {
	i := slices.IndexFunc(f.Stencils, func(s libfile.Stencil) bool { return which(&s) })
	require.NotEqual(t, -1, i, "no stencil to break")
	return &f.Stencils[i]
}

// TestBrokenLibraries breaks the file of a library in one place: it is refused as it is read,
// before any of its stencils is used.
func TestBrokenLibraries(t *testing.T) {
	content, err := files.ReadFile("lib/x86_64.bin")
	require.NoError(t, err)
	add := func(s *libfile.Stencil) bool { return s.Op == "add" && slices.Contains(s.DTypes, "f32") }
	load := func(s *libfile.Stencil) bool { return s.Op == "ld" }
	branch := func(s *libfile.Stencil) bool { return s.Op == "call" }
	classes := func(s *libfile.Stencil) bool { return len(s.Classes) > 0 }
	for _, c := range []struct {
		name    string
		which   func(*libfile.Stencil) bool
		damage  func(*libfile.Library, *libfile.Stencil)
		message string
	}{
		{"nothing", add, func(*libfile.Library, *libfile.Stencil) {}, ""},
		{"version", add, func(f *libfile.Library, _ *libfile.Stencil) { f.Version++ }, "format version 9, want 8"},
		{"register file", add, func(f *libfile.Library, _ *libfile.Stencil) { f.Files[Float].Names = nil }, "register file 1: 0 names, 14 numbers"},
		{"no template", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Templates = nil }, "stencil add: no template or no dtype"},
		{"no dtype", add, func(_ *libfile.Library, s *libfile.Stencil) { s.DTypes = nil }, "stencil add: no template or no dtype"},
		{"service", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Service = len(packet.Services()) + 1 }, "stencil add: service 12"},
		{"service beyond a byte", load, func(_ *libfile.Library, s *libfile.Stencil) { s.Service = 257 }, "service 257"},
		{"service without a bound", load, func(_ *libfile.Library, s *libfile.Stencil) { s.Service = 1 }, "no bound on the instructions of service f32-add"},
		{"feature", add, func(f *libfile.Library, s *libfile.Stencil) { s.Feature = len(f.Features) + 1 }, "stencil add: feature 3"},
		{"result's class", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Dst = 5 }, "stencil add: register class 5"},
		{"operand's class", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Src[2] = 200 }, "stencil add: register class 200"},
		{"fields cut short", add, func(_ *libfile.Library, s *libfile.Stencil) {
			p := &s.Templates[len(s.Templates)-1].Fields
			*p = (*p)[:len(*p)-1]
		}, "stencil add: field list is cut short"},
		{"field outside the code", add, func(_ *libfile.Library, s *libfile.Stencil) {
			last := &s.Templates[len(s.Templates)-1]
			last.Code = last.Code[:1]
		}, "does not fit 1 bytes of code"},
		{"field of no operand", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Templates[0].Fields[0] = libfile.NumOperands }, "stencil add: field {Operand:7"},
		{"no classes", classes, func(_ *libfile.Library, s *libfile.Stencil) { s.Classes = nil }, "templates and no classes"},
		{"classes cut short", classes, func(_ *libfile.Library, s *libfile.Stencil) { s.Classes = s.Classes[:len(s.Classes)-1] }, "list of classes is cut short"},
		{"class too many", classes, func(_ *libfile.Library, s *libfile.Stencil) { s.Classes = append(s.Classes, 0, 0) }, "operand keys"},
		{"class of no template", classes, func(_ *libfile.Library, s *libfile.Stencil) { s.Classes[1] = byte(len(s.Templates)) }, "class of template"},
		{"branch in one of two templates", branch, func(_ *libfile.Library, s *libfile.Stencil) {
			s.Templates = append(s.Templates, libfile.Template{Code: []byte{0}})
		}, "stencil call: a branch in code of several variants"},
		{"far form alone", add, func(_ *libfile.Library, s *libfile.Stencil) { s.Form = uint8(far) }, "stencil add: far form without a near one"},
		{"defined twice", add, func(f *libfile.Library, s *libfile.Stencil) { f.Stencils = append(f.Stencils, *s) }, "stencil add: defined twice for \"f32\""},
		{"kernel's blob", add, func(f *libfile.Library, _ *libfile.Stencil) { f.Kernels[0].Blob = len(f.Blobs) }, "entry outside its blob"},
		{"kernel's entry", add, func(f *libfile.Library, _ *libfile.Stencil) { f.Kernels[0].Entry = -1 }, "entry outside its blob"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := libfile.Decode(content)
			require.NoError(t, err)
			c.damage(file, first(t, file, c.which))
			broken, err := libfile.Encode(file)
			require.NoError(t, err)
			_, err = decode(broken)
			if c.message == "" {
				assert.NoError(t, err)
				assert.Equal(t, content, broken, "the file of a library is written in one way only")
				return
			}
			assert.ErrorContains(t, err, c.message)
		})
	}
	for _, n := range []int{0, 1, len(content) / 2, len(content) - 1} {
		_, err := decode(content[:n])
		assert.Error(t, err, "%d of %d bytes", n, len(content))
	}
}

// TestFirstUseTogether has many goroutines use every stencil of a library at once, none of
// which has been used before: all get the code that one alone gets, far forms included.
func TestFirstUseTogether(t *testing.T) {
	emit := func(lib *Library, start int) [][]byte {
		n := len(lib.stencils)
		out := make([][]byte, n)
		for i := range n {
			at := (start + i) % n
			s := lib.stencils[at]
			out[at] = s.Emit(s.Emit(nil, 1, 2, 3, 4, 0), 4, 3, 2, 1, s.MaxImm)
		}
		return out
	}
	require.NotEmpty(t, Archs())
	for _, arch := range Archs() {
		alone, err := Load(arch)
		require.NoError(t, err)
		want := emit(alone, 0)
		require.NotEmpty(t, want, arch)
		lib, err := Load(arch)
		require.NoError(t, err)
		for _, s := range lib.stencils {
			require.Nil(t, s.code.templates, "%s: %s is expanded before its first use", arch, s.Op)
		}
		const users = 8
		var got [users][][]byte
		var wait sync.WaitGroup
		for u := range users {
			wait.Go(func() { got[u] = emit(lib, u/2*len(want)/users) })
		}
		wait.Wait()
		for u := range users {
			assert.Equal(t, want, got[u], arch)
		}
	}
}

// TestSize: the length of code is known without expanding it, for every combination of the registers that
// matters, two of each half of a file among them.
func TestSize(t *testing.T) {
	for _, arch := range Archs() {
		lib, err := Load(arch)
		require.NoError(t, err)
		used := map[*code]bool{} // by another type
		for _, s := range lib.stencils {
			var registers [4][]uint8
			for i := range registers {
				for r := range lib.Regs(s.code.class(uint8(i))) {
					if r < 2 || r >= lib.Regs(s.code.class(uint8(i)))-2 {
						registers[i] = append(registers[i], uint8(r))
					}
				}
				if registers[i] == nil {
					registers[i] = []uint8{0}
				}
			}
			for _, imm := range []int32{0, s.MaxImm} {
				var sizes, lengths []int
				each := func(do func(d, a, b, c uint8)) {
					for _, d := range registers[0] {
						for _, a := range registers[1] {
							for _, b := range registers[2] {
								for _, c := range registers[3] {
									do(d, a, b, c)
								}
							}
						}
					}
				}
				each(func(d, a, b, c uint8) { sizes = append(sizes, s.Size(d, a, b, c, imm)) })
				if !used[s.code] {
					require.Nil(t, s.code.templates, "%s: the size of %s is no use of it", arch, s.Op)
				}
				used[s.code] = true
				each(func(d, a, b, c uint8) { lengths = append(lengths, len(s.Emit(nil, d, a, b, c, imm))) })
				require.Equal(t, lengths, sizes, "%s: %s %s", arch, s.Op, s.DType)
			}
		}
	}
}
