package image

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/protocol/packet"
)

// TestSpecExample holds the example of the specification against the code that reads
// and writes such files.
func TestSpecExample(t *testing.T) {
	m := &Image{
		Version: Plain, Arch: packet.ArchThumbv7emSp,
		Code: []byte{0x30, 0xee, 0x00, 0x0a, 0x70, 0x47}, // vadd.f32 s0, s0, s0; bx lr
		Data: make([]byte, 16), BSS: 8,
		Entries: []Entry{{Name: "main"}},
		Symbols: []Symbol{{Name: "x", Kind: Input, DType: graph.F32, Offset: 16}, {Name: "y", Kind: Output, DType: graph.F32, Offset: 20}},
		Budget:  Budget{Ops: []OpCount{{"add.f32", 1}}, StackBytes: 8, Instructions: 5},
		Source:  "double.py",
	}
	want, err := m.Encode()
	require.NoError(t, err)

	text, err := os.ReadFile("../../protocol/IMAGE.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(text), "## An example\n")
	require.True(t, found)
	var digits strings.Builder
	for line := range strings.Lines(example) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			digits.WriteString(strings.TrimSpace(code))
		}
	}
	require.Equal(t, hex.EncodeToString(want), digits.String())
}
