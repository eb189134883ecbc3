package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlainNamesNoSample(t *testing.T) {
	for insn, want := range map[string]string{
		"bne.n\te10 <v12+0x6>":  "bne.n start+0x6",
		"ja\t1e63 <v7_end>":     "ja end",
		"j\t5c <v3>":            "j end",
		"bl\t0 <v0>":            "bl 0",
		"ldr\ts0, 40 <v0+0x40>": "ldr s0, start+0x40",
		"lw\ts2,-2048(a5) # fffff800 <v9_end+0xfffff788>": "lw s2,-2048(a5) # fffff800",
		"fmov\ts0, #1.0e+00 // x":                         "fmov s0, #1.0e+00",
	} {
		assert.Equal(t, want, plain(insn))
	}
}

// An ESP32-C3, whose programs are those of rv32imac, has no atomic instructions, and loads aligned words only from where code and the tables
// of kernels lie: its simulator shows that of kernels that are called, this of all.
func TestWordsOnly(t *testing.T) {
	text, err := os.ReadFile("../lib/rv32imac.lst")
	require.NoError(t, err)
	require.Greater(t, strings.Count(string(text), " lw "), 500)
	require.Empty(t, regexp.MustCompile(`(?m)^ +(?:l[bh]u?|s[bh]|[ls][rc]\.w|amo\S+) .*$`).FindAllString(string(text), -1))
}
