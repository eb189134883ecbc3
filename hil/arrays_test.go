package hil_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// arrayFolder has a script and a program in C for each case, arrayTable the ratios.
const (
	arrayFolder = "testdata/instructions/arrays/"
	arrayTable  = arrayFolder + "ratios.txt"
)

// arrayBoards are the columns of the table: a board of each architecture for which
// loops are counted.
var arrayBoards = []string{"microbit", "mps2-an385", "mps2-an386", "mps2-an500", "riscv-virt32", "virt-a53"}

// An arrayCase is a row of the table.
type arrayCase struct {
	name string
	// exact says that the C program adds in the order of scripts; otherwise its results are
	// only near.
	exact bool
	goal  string             // the ratio that is wanted
	most  map[string]float64 // by board: how many times GCC's instructions ours may take; 0: it has no room
}

// counted is what was counted of a case on a board.
type counted struct {
	ours, gcc           float64
	bound               float64 // on ours, as its image says
	oursBytes, gccBytes int
}

func (c counted) ratio() float64 { return c.ours / c.gcc }

// noRoom stands in the table for a program that the board has no room for.
const noRoom = "-"

func readArrayCases(t testing.TB) []arrayCase {
	t.Helper()
	text, err := os.ReadFile(arrayTable)
	require.NoError(t, err)
	var list []arrayCase
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		require.Len(t, f, 3+len(arrayBoards), "%s: %s", arrayTable, line)
		c := arrayCase{name: f[0], exact: f[1] == "exact", goal: f[2], most: map[string]float64{}}
		for i, b := range arrayBoards {
			if f[3+i] == noRoom {
				continue
			}
			c.most[b], err = strconv.ParseFloat(f[3+i], 64)
			require.NoError(t, err, "%s: %s", arrayTable, line)
		}
		list = append(list, c)
	}
	return list
}

// TestArrays counts the instructions of loops and arrays on emulated boards and compares
// them with those of C as one writes it. The table holds each case to its ratio;
// `go test ./hil -run TestArrays -update` writes the present ones.
func TestArrays(t *testing.T) {
	cases := readArrayCases(t)
	var mu sync.Mutex
	found := map[string]map[string]counted{}
	t.Run("boards", func(t *testing.T) {
		for _, board := range arrayBoards {
			t.Run(board, func(t *testing.T) {
				t.Parallel()
				c := openCounter(t, board)
				for i := range cases {
					p := &cases[i]
					got, err := p.count(t, c)
					for try := 0; !p.decided(board, got, err) && try < 5; try++ {
						t.Logf("%s: %.0f instructions, GCC %.0f, %v; once more", p.name, got.ours, got.gcc, err)
						before, failed := got, err
						if failed != nil {
							c.again(t)
						}
						if got, err = p.count(t, c); err == nil && failed == nil {
							got.ours, got.gcc = min(got.ours, before.ours), min(got.gcc, before.gcc)
						}
					}
					mu.Lock()
					if found[p.name] == nil {
						found[p.name] = map[string]counted{}
					}
					if err == nil {
						found[p.name][board] = got
					}
					mu.Unlock()
					t.Run(p.name, func(t *testing.T) { p.judge(t, board, got, err) })
				}
			})
		}
	})
	t.Log(arrayReport(cases, found))
	if *update && !t.Failed() {
		require.NoError(t, os.WriteFile(arrayTable, []byte(arrayRatios(cases, found)), 0o666))
	}
}

// decided reports whether a count is one to judge. The line may have failed, or a run taken too many instructions because
// of an interrupt, for the runner's clock or a request that the host repeats.
func (p *arrayCase) decided(board string, got counted, err error) bool {
	return isRoom(err) || err == nil && got.ours <= got.bound && (*update || got.ratio() <= p.most[board])
}

// judge holds what was counted to the table.
func (p *arrayCase) judge(t *testing.T, board string, got counted, err error) {
	if !isRoom(err) {
		require.NoError(t, err)
	}
	switch most := p.most[board]; {
	case *update:
	case err != nil:
		require.Zero(t, most, "%v", err)
	case most == 0:
		t.Errorf("%s has room now: ratio %.2f; write it with -update", board, got.ratio())
	default:
		assert.LessOrEqual(t, got.ratio(), most, "%.0f instructions, GCC %.0f", got.ours, got.gcc)
	}
	if err == nil {
		assert.GreaterOrEqual(t, got.bound, got.ours, "more instructions than the image says")
		if !softFloats[board] {
			near := nearBound
			if dataDecides[p.name] || branches[board] {
				near = worstBound
			}
			assert.LessOrEqual(t, got.bound, near*got.ours, "the image says too many instructions")
		}
	}
}

// nearBound is how many times the instructions counted the bound of an image may be.
const nearBound = 1.3

// worstBound is the same where the numbers decide how long a case takes: the bound is for the worst order of them,
// which moves twice as many elements as any order does on average.
const worstBound = 2.0

// branches are the boards on which numbers decide everywhere: a minimum of equal numbers takes twice as long as of others.
var branches = map[string]bool{"mps2-an386": true}

// dataDecides are these cases: they sort, look for the place of an integer, which each one may take from all before it, or follow
// an input that could change all the time.
var dataDecides = map[string]bool{"sort_9": true, "sort_32": true, "median": true, "argmaxi": true, "debounce": true, "thermostat": true}

// softFloats are the boards on which a float operation takes several times as long for
// subnormal operands, so that the bound is far from what these cases take.
var softFloats = map[string]bool{"microbit": true, "mps2-an385": true}

// isRoom reports whether a board has no room for a program.
func isRoom(err error) bool {
	var room *session.SizeError
	var fault *session.FaultError
	return errors.As(err, &room) || errors.As(err, &fault) && fault.Kind == packet.FaultStack // of GCC's program: ours have none
}

// caseTime is how long a case may take before the board is booted again. Under -icount
// an idle board's time runs ahead of everybody else's, and now and then it misses a frame.
const caseTime = 30 * time.Second

// count counts a run of the script's program and of GCC's on the same numbers.
func (p *arrayCase) count(t *testing.T, c *counter) (got counted, err error) {
	var img *image.Image
	var code []byte
	var program cSymbol
	c.pause(t, func() {
		img = compileScript(t, c.dev, arrayFolder+p.name+".py")
		var symbols map[string]cSymbol
		code, symbols = linkC(t, c.board.Arch, c.place, []string{"-ftree-vectorize"}, arrayFolder+p.name+".c")
		program = symbols["program"]
	})
	ctx, cancel := context.WithTimeout(t.Context(), caseTime)
	defer cancel()
	want, ours, err := c.run(ctx, img, 1)
	if err != nil {
		return counted{}, err
	}
	theirs, gcc, err := c.run(ctx, bareProgram(t, c.board.Arch, code, program.at&^1, initialInputs(img), len(want)), 1)
	if err != nil {
		return counted{}, err
	}
	for i := range want {
		if p.exact {
			require.Equal(t, theirs[i], want[i], "%s: result %d of GCC's program is another", p.name, i)
		} else {
			require.InDelta(t, math.Float32frombits(theirs[i]), math.Float32frombits(want[i]), 1e-4, "%s: result %d", p.name, i)
		}
	}
	return counted{ours - c.beside, gcc - c.beside, float64(img.Budget.Instructions), len(img.Code), int(program.size)}, nil
}

// initialInputs are the words of a program's inputs before its first run.
func initialInputs(img *image.Image) (words []uint32) {
	block := append(img.Data, make([]byte, img.BSS)...)
	for i := range img.Symbols {
		s := &img.Symbols[i]
		if s.Kind != image.Input {
			continue
		}
		for b := s.In(block); len(b) > 0; b = b[graph.WordSize:] {
			words = append(words, binary.LittleEndian.Uint32(b))
		}
	}
	return words
}

// arrayReport is the table of ratios for people, with instructions and bytes on the M4F and, by
// board, the bounds of images.
func arrayReport(cases []arrayCase, found map[string]map[string]counted) string {
	var b strings.Builder
	b.WriteString("instructions of ours / of GCC -O3\n")
	fmt.Fprintf(&b, "%-16s%6s", "", "goal")
	for _, board := range arrayBoards {
		fmt.Fprintf(&b, "%13s", board)
	}
	b.WriteString("   an386: instructions, GCC's; bytes, GCC's; bounds / counted\n")
	for i := range cases {
		p := &cases[i]
		fmt.Fprintf(&b, "%-16s%6s", p.name, p.goal)
		for _, board := range arrayBoards {
			if got, ok := found[p.name][board]; ok {
				fmt.Fprintf(&b, "%13.2f", got.ratio())
			} else {
				fmt.Fprintf(&b, "%13s", noRoom)
			}
		}
		got := found[p.name]["mps2-an386"]
		fmt.Fprintf(&b, "%8.0f %6.0f; %6d %5d", got.ours, got.gcc, got.oursBytes, got.gccBytes)
		for _, board := range arrayBoards {
			fmt.Fprintf(&b, "%6.2f", found[p.name][board].bound/found[p.name][board].ours)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// arrayRatios is the text of the table with the present ratios, rounded up.
func arrayRatios(cases []arrayCase, found map[string]map[string]counted) string {
	var b strings.Builder
	counted := map[string]bool{} // by board
	for _, boards := range found {
		for board := range boards {
			counted[board] = true
		}
	}
	b.WriteString("# How many times the instructions of GCC -O3 a run takes at most, by case and board.\n")
	b.WriteString("# exact: the results have the bits of the C program; near: it adds in another order.\n")
	fmt.Fprintf(&b, "# %-14s %-5s %4s", "case", "bits", "goal")
	for _, board := range arrayBoards {
		fmt.Fprintf(&b, " %12s", board)
	}
	b.WriteString("\n")
	for i := range cases {
		p := &cases[i]
		bits := "near"
		if p.exact {
			bits = "exact"
		}
		fmt.Fprintf(&b, "%-16s %-5s %4s", p.name, bits, p.goal)
		for _, board := range arrayBoards {
			most := p.most[board] // of a board that was not counted now
			if got, ok := found[p.name][board]; ok {
				most = math.Ceil(100*got.ratio()) / 100
			} else if counted[board] {
				most = 0
			}
			if most == 0 {
				fmt.Fprintf(&b, " %12s", noRoom)
			} else {
				fmt.Fprintf(&b, " %12.2f", most)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
