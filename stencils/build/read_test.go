package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

func TestReadTable(t *testing.T) {
	got, err := readTable(map[string]string{
		"float.c": "/* text */\n//@ add f32 F=FF tied memory // softfloat f32-add: SERVICE2(D, A, B, OFF)\n" +
			"//@ min f32 F=FF // softfloat kernel\n//@ floor f32 F=F needs sse41 neon\ncode\n",
		"machine.c":                "//@ ld i32 bool I= offset: D = {op}_i32(base, OFF) // far: FAR(D) // mid: MID(D, OFF)\n//@ call =: call()\n",
		"kernels/f32/trig.h":       "//@ kernel zeta sin f32 F=F\n//@ kernel atan2 f32 F=FF\n",
		"kernels/f32int/trig.h":    "//@ kernel sin f32 F=F\n//@ kernel min f32 F=FF\n",
		"kernels/exact/divmod64.h": "//@ kernel mod f64 D=DD cf_mod64: mod_exact64(a, b)\n",
		"kernels/exact/soft.h":     "//@ kernel min f32 F=FF softfloat: least(a, b)\n",
	})
	require.NoError(t, err)
	assert.Equal(t, []row{
		{op: "ld", dtypes: "i32 bool", pattern: "I=", text: "D = ld_i32(base, OFF)", traits: offset, far: "FAR(D)", mid: "MID(D, OFF)"},
		{op: "call", pattern: "=", text: "call()"},
		{op: "add", dtypes: "f32", pattern: "F=FF", text: "D = add_f32(A, B)", traits: tied | memory,
			softFloat: &softRow{"SERVICE2(D, A, B, OFF)", stencils.Calls(packet.ServiceF32Add)}},
		{op: "min", dtypes: "f32", pattern: "F=FF", text: "D = min_f32(A, B)", softFloat: &softRow{}},
		{op: "floor", dtypes: "f32", needs: "sse41 neon", pattern: "F=F", text: "D = floor_f32(A)"},
	}, got.rows)
	assert.Equal(t, []kernelRow{
		{op: "sin", dtype: "f32", symbol: "cf_sin", file: "f32/trig.h", integer: "f32int/trig.h", args: 1, results: 1},
		{op: "atan2", dtype: "f32", symbol: "cf_atan2", file: "f32/trig.h", args: 2, results: 1},
		{op: "zeta", dtype: "f32", symbol: "cf_zeta", file: "f32/trig.h", args: 1, results: 1},
		{op: "mod", dtype: "f64", symbol: "cf_mod64", file: "exact/divmod64.h", text: "mod_exact64(a, b)", args: 2, results: 1},
	}, got.kernels, "a new one comes last")
	assert.Equal(t, []kernelRow{
		{op: "min", dtype: "f32", symbol: "cf_min", file: "exact/soft.h", integer: "f32int/trig.h", text: "least(a, b)", args: 2, results: 1},
	}, got.softKernels)
}

func TestRefusedRows(t *testing.T) {
	for _, c := range []struct{ file, line, message string }{
		{"float.c", "//@ add", "want OPS TYPES PATTERN"},
		{"float.c", "//@ I=I", "want OPS TYPES PATTERN"},
		{"float.c", "//@ add f32 f16 I=I", "f16 is no type"},
		{"float.c", "//@ add i32 I", "no pattern"},
		{"float.c", "//@ add i32 I=II tide", "tide is none of the traits added, ahead, bit, by2, by3, by4, bytewise, compared, frame"},
		{"float.c", "//@ save =: f()\n//@ save =: g()", "src/float.c:2: a second row for save"},
		{"float.c", "//@ abs neg i32 bool I=I\n//@ neg bool I=I", "a second row for neg bool"},
		{"float.c", "//@ st i32 =I", "no text"},
		{"float.c", "//@ call =", "no text"},
		{"float.c", "//@ neg i32 I=I // wide: D = A", `"wide" is none of near, mid, far`},
		{"float.c", "//@ neg f32 F=F", "what is it on cores without float registers?"},
		{"float.c", "//@ neg f32 F=F // softfloat", "no text"},
		{"float.c", "//@ neg f32 F=F // softfloat neg_f32: D = A", "neg_f32 is none of the services [f32-add"},
		{"new.c", "//@ neg i32 I=I", "no library has the stencils of this file"},
		{"float.c", "//@ kernel sin f32 F=F", "below kernels"},
		{"kernels/f32/a.h", "//@ sin f32 F=F", "no library has the stencils of this file"},
		{"kernels/f32/a.h", "//@ kernel sin bool I=I", "the type f32, f64, i32 or f32x8"},
		{"kernels/f32/a.h", "//@ kernel sin f32", "the pattern for example F=FF"},
		{"kernels/f32/a.h", "//@ kernel sin f32 F=F\n//@ kernel sin f32 F=F", "src/kernels/f32/a.h:2: a second row for kernel sin f32"},
		{"kernels/f32int/a.h", "//@ kernel sin f32 F=F", "has no twin"},
	} {
		_, err := readTable(map[string]string{c.file: c.line + "\n"})
		if assert.Error(t, err, c.line) {
			assert.ErrorContains(t, err, "src/"+c.file)
			assert.ErrorContains(t, err, c.message, c.line)
		}
	}
}

// TestEveryRowIsBuilt: a feature with a slip in its name would leave a row out everywhere.
func TestEveryRowIsBuilt(t *testing.T) {
	src, err := readSources("../src")
	require.NoError(t, err)
	require.Greater(t, len(src.rows), 200)
	var all []*arch
	for _, name := range archNames(t) {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		all = append(all, a)
	}
	for i := range src.rows {
		assert.True(t, slices.ContainsFunc(all, func(a *arch) bool { return len(src.rows[i].jobs(a)) > 0 }), src.rows[i].String())
	}
}
