package stencils_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/stencils"
)

func load(t testing.TB) []*stencils.Library {
	var libs []*stencils.Library
	for _, arch := range stencils.Archs() {
		lib, err := stencils.Load(arch)
		require.NoError(t, err)
		libs = append(libs, lib)
	}
	require.NotEmpty(t, libs)
	return libs
}

func TestLoadUnknown(t *testing.T) {
	_, err := stencils.Load("vax")
	assert.ErrorContains(t, err, `no library for architecture "vax" (have aarch64, `)
}

func TestFarOffsets(t *testing.T) {
	for _, lib := range load(t) {
		for _, op := range []string{"ld", "st", "ldx", "stx"} {
			for _, dtype := range []string{"f32", "i32", "bool"} {
				s := lib.Find(op, dtype, stencils.Reg)
				require.NotNil(t, s)
				assert.GreaterOrEqual(t, s.MaxDirect, int32(124), "%s %s", lib.Arch, op) // what 16 bits of Thumb have room for
				assert.Equal(t, int32(1<<31-4), s.MaxImm, "%s %s", lib.Arch, op)
				assert.LessOrEqual(t, s.Size(0, 0, 0, 0, 0), s.Size(0, 0, 0, 0, s.MaxImm), "%s %s", lib.Arch, op)
			}
		}
	}
}

func TestFixBranch(t *testing.T) {
	for _, lib := range load(t) {
		call := lib.Find("call", "", stencils.Reg)
		code := append(make([]byte, 64), call.Emit(nil, 0, 0, 0, 0, 0)...)
		require.NoError(t, call.FixBranch(code, 64, 0))
		backward := append([]byte{}, code...)
		require.NoError(t, call.FixBranch(code, 64, 1<<20))
		assert.NotEqual(t, backward, code)
		require.NoError(t, call.FixBranch(code, 64, 0))
		assert.Equal(t, backward, code, "%s: aiming again leaves nothing of the first aim", lib.Arch)
		if far := int64(1) << 33; int64(int(far)) == far { // hosts of 32 bits have no code that long
			assert.Error(t, call.FixBranch(code, 64, int(far)), lib.Arch)
		}

		add := lib.Find("add", "f32", stencils.Reg)
		assert.ErrorContains(t, add.FixBranch(code, 0, 0), "no branch")

		loop := lib.Find("loop", "i32", stencils.Reg)
		assert.True(t, loop.Branch)
		long, err := loop.EmitLoop(make([]byte, 2<<20), 0, 0, 4, 400, 0)
		if lib.Arch == "aarch64" { // a conditional branch reaches 1 MiB there
			assert.ErrorContains(t, err, "out of range")
			assert.ErrorContains(t, loop.FixBranch(long, 2<<20, 2<<20-2), "misaligned")
		} else {
			assert.NoError(t, err, lib.Arch)
		}
	}
}

func TestEmitDoesNotAllocate(t *testing.T) {
	for _, lib := range load(t) {
		buffer := make([]byte, 0, 1<<12)
		require.NotEmpty(t, lib.Stencils(), lib.Arch)
		for _, s := range lib.Stencils() {
			n := testing.AllocsPerRun(10, func() { s.Emit(buffer, 1, 1, 2, 3, 8) })
			assert.Zero(t, n, "%s: %s %s", lib.Arch, s.Op, s.DType)
		}
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, lib := range load(b) {
		for _, name := range [][2]string{{"add", "f32"}, {"lt", "f32"}, {"select", "i32"}, {"ld", "f32"}, {"floordiv", "i32"}} {
			s := lib.Find(name[0], name[1], stencils.Reg)
			b.Run(lib.Arch+"/"+name[0]+"."+name[1], func(b *testing.B) {
				buffer := make([]byte, 0, 1<<16)
				b.ReportAllocs()
				for b.Loop() {
					if len(buffer) > 1<<16-256 {
						buffer = buffer[:0]
					}
					buffer = s.Emit(buffer, 3, 3, 5, 2, 64)
				}
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, arch := range stencils.Archs() {
		b.Run(arch, func(b *testing.B) {
			for b.Loop() {
				if _, err := stencils.Load(arch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
