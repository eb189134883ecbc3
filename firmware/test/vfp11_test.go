package test

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the VFP11 of an ARM1176 leaves to software, against this machine's float unit, is all that it may leave of the library for it.
func TestVFP11(t *testing.T) {
	t.Parallel()
	said := onModel(t, []string{"-fno-math-errno", "-frounding-math", "-Wl,--no-as-needed", "-lm"},
		"test/vfp11/cases.c", "test/vfp11/operations.c", "arch/arm/vfp11.c")
	var words []uint32
	var texts []string
	for line := range strings.Lines(said) {
		var word uint32
		_, err := fmt.Sscanf(line, "%08x", &word)
		require.NoError(t, err, line)
		words, texts = append(words, word), append(texts, line[9:])
	}
	require.Equal(t, words, assembled(t, texts), "the cases take other instructions for these")

	done := map[uint32]string{}
	for i, word := range words {
		done[operation(word)] = texts[i]
	}
	library := listed(t, filepath.Join("..", "..", "stencils", "lib", "armv6.lst"))
	used := map[uint32]bool{}
	for i, word := range assembled(t, library) {
		if word&0x0f000e10 == 0x0e000a00 { // else it moves data
			require.Contains(t, done, operation(word), library[i])
			used[operation(word)] = true
		}
	}
	require.Greater(t, len(used), len(done)/2, "the listing has lost its instructions")
}

// operation is what is left of an instruction without condition and registers.
func operation(word uint32) uint32 {
	if word&0x00b00040 == 0x00b00040 { // one operand, where another says what is done
		return word & 0x0fbf0fd0
	}
	return word & 0x0fb00f50
}

// onFloats finds instructions whose first operand is a float register.
var onFloats = regexp.MustCompile(`(?m)^\s+(v[a-z0-9.]+\s+[sd][^;@<\n]*)`)

// listed returns what a listing has of them, each once.
func listed(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	seen := map[string]bool{}
	var list []string
	for _, m := range onFloats.FindAllStringSubmatch(string(text), -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			list = append(list, m[1])
		}
	}
	return list
}

// assembled returns the words of instructions, each of which has one.
func assembled(t *testing.T, instructions []string) []uint32 {
	t.Helper()
	const assembler = "arm-none-eabi-as"
	if _, err := exec.LookPath(assembler); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("SKIP: %s is not installed", assembler)
	}
	out := filepath.Join(t.TempDir(), "words.o")
	cmd := exec.Command(assembler, "-march=armv6", "-mfpu=vfp", "-o", out, "-")
	cmd.Stdin = strings.NewReader(".syntax unified\n.arm\n" + strings.Join(instructions, "\n") + "\n")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	file, err := elf.Open(out)
	require.NoError(t, err)
	defer file.Close()
	code, err := file.Section(".text").Data()
	require.NoError(t, err)
	require.Len(t, code, 4*len(instructions))
	words := make([]uint32, len(instructions))
	_, err = binary.Decode(code, binary.LittleEndian, words)
	require.NoError(t, err)
	return words
}
