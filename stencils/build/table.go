package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// table is what the sources say of the stencils and kernels that are made of them; see readTable.
type table struct {
	rows        []row
	kernels     []kernelRow
	softKernels []kernelRow // what is a stencil where there are float registers
}

// row describes a stencil. The classes of its operands are read off the
// pattern: result, '=', sources; F is a float register, V one that holds four
// lanes or eight (a row has F or V, not both), D one that holds a double, I an integer one,
// and an empty side means none. The text is the C statement, in which D, A, B, C stand for the registers
// and OFF for the immediate.
type row struct {
	op, dtypes string // dtypes separated by spaces
	needs      string // features, one of which the processor must have; none where empty
	pattern    string
	text       string
	traits     trait
	far        string // text for an immediate beyond the direct range, if any
	// mid is the text for an offset beyond the reach of the direct form, but not too far
	// for something shorter than the far one; see midReach.
	mid          string
	near         string   // text for an immediate that some short code has room for; see nearReach
	softFloat    *softRow // on cores without float registers, where it is something else
	softDivision *softRow // on cores that cannot divide integers
}

type trait uint

const (
	tied     trait = 1 << iota // two-address on architectures that have such code
	memory                     // also with the last source in memory, where the architecture can
	offset                     // OFF is the offset of a data word
	index                      // OFF is an offset added to an index
	literal                    // the text has a 32-bit immediate of its own
	small                      // the direct form takes what fits an addition
	byteWise                   // the direct form takes offsets 0..252 only, where offsets are sampled
	short                      // the direct form takes what fits a move
	steps                      // the text has a step and a limit
	added                      // OFF is a small number that fits an addition
	number                     // OFF is a number that fits an addition of the architecture; where there is a far form, the direct one is for 0
	compared                   // OFF is a number that fits a comparison of the architecture
	shifted                    // OFF is a number of bits from 1 to 31
	scaled                     // OFF is a number of bits from 1 to 4
	lane                       // OFF is the number of one of four lanes
	bit                        // OFF is the number of a bit
	rows                       // OFF says how many rows a table has and of what size: lir.RowsImm
	rows2                      // the same where the rows are a power of two: lir.Rows2Imm
	frame                      // the text works on the stack and may return or call
	ahead                      // the text branches to what lies ahead in the program
	jumps                      // the text may branch around a move, where there is no conditional one
	two                        // OFF is the offset of two values in a row, of two different registers or an even one for floats and the next
	by2                        // the result takes two registers in a row, of which D is the first
	by3                        // it takes three
	by4                        // it takes four
)

// kernelRow describes a kernel: how many registers for its type it takes and gives, and
// what of stencils/src/kernels computes it: a header, of whose functions the builder makes the
// entry, or a C file that has the entry.
type kernelRow struct {
	op, dtype, symbol string
	file              string
	integer           string // without hardware double; "": file, its arithmetic in integers
	text              string // the result, in C, of a and b; "": the function of the symbol's name
	needs             string // features, one of which the processor must have; none where empty
	args, results     int
}

// The folder of the files of kernels among the sources.
const (
	kernelFolder  = "kernels/"
	integerFolder = "f32int/" // in that, of those without doubles
)

// kernelTypes are the types of kernels: what C calls them, and what the symbols of their kernels begin with.
var kernelTypes = map[string]struct{ c, prefix string }{
	"f32":   {"float", "cf_"},
	"f64":   {"double", "cf64_"},
	"i32":   {"u32", "cf_"},
	"f32x8": {"cf_f32s", "cfv_"},
}

// recipe is the row without what the flags of its compiler say already.
func (r *kernelRow) recipe() string {
	return fmt.Sprintf("{op:%s dtype:%s symbol:%s file:%s integer:%s text:%s args:%d results:%d}",
		r.op, r.dtype, r.symbol, r.file, r.integer, r.text, r.args, r.results)
}

// entry is the C text of a kernel that the file of the row, a header, has the function
// of. The C name differs from the function's; the symbol does not.
func (r *kernelRow) entry(file string) string {
	if strings.HasSuffix(file, ".c") {
		return fmt.Sprintf("#include \"%s%s\"\n", kernelFolder, file)
	}
	ctype := kernelTypes[r.dtype].c
	parameters, arguments := ctype+" a", "a"
	if r.args == 2 {
		parameters, arguments = parameters+", "+ctype+" b", "a, b"
	}
	text := r.text
	if text == "" {
		text = fmt.Sprintf("%s(%s)", r.symbol, arguments)
	}
	result, give := ctype, "return "
	if r.results == 0 { // works in the data block
		result, give, parameters = "REGISTER_CALL void", "", parameters+", base_ptr base"
	}
	signature := fmt.Sprintf("%s %s(%s)", result, strings.Replace(r.symbol, "_", "_entry_", 1), parameters)
	return fmt.Sprintf("#include \"%s%s\"\n\n%s __asm__(\"%s\");\n\n%s { %s%s; }\n", kernelFolder, file, signature, r.symbol, signature, give, text)
}

// writeEntries writes the text of all entries into a folder, for the proofs: TYPE/OP.c.
func (t *table) writeEntries(dir string) error {
	for _, r := range slices.Concat(t.kernels, t.softKernels) {
		for _, file := range []string{r.file, r.integer} {
			if file == "" {
				continue
			}
			to := filepath.Join(dir, filepath.Dir(file), r.op+".c")
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(to, []byte(r.entry(file)), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// textFiles are the sources whose functions the rows use.
var textFiles = []string{"machine.c", "float.c", "integer.c", "compare.c", "cast.c", vectorFile, wideVectorFile}

// rowFiles are the same in the order in which libraries have their stencils.
var rowFiles = []string{"machine.c", "float.c", "integer.c", "compare.c", vectorFile, wideVectorFile, "cast.c", doubleFile}

// kernelOrder is that of the kernels of libraries, by type. What it does not name comes behind, by
// name: it is here so that libraries stay as they are, and no new kernel needs a place in it.
var kernelOrder = map[string][]string{
	"f32": strings.Fields("sin cos sincos tan asin acos atan exp log exp2 expm1 sinh cosh tanh log2 log10 log1p cbrt pow atan2 hypot " +
		"fmod floordiv mod sqrt min max floor ceil trunc round"),
	"f64": strings.Fields("exp exp2 expm1 sinh cosh tanh log log2 log10 log1p pow sin cos tan atan atan2 asin acos cbrt hypot sincos " +
		"fmod floordiv mod"),
}

// softFiles are those of cores without float registers.
var softFiles = []string{"machine.c", "integer.c", "compare.c", "soft.c"}

// vectorFile and wideVectorFile are left out where there are no vectors.
const (
	vectorFile     = "vector.c"
	wideVectorFile = "vector8.c"
)

// doubleFile is another one where the architecture has doubles.
const doubleFile = "double.c"

// double reports whether the row works on doubles.
func (r *row) double() bool { return strings.Contains(r.pattern, "D") }

// moved reports whether the row is a call that moves doubles to where kernels take them,
// from registers of their own.
func (r *row) moved() bool { return r.op == "call" && r.dtypes == "f64" }

func (r *row) String() string { return fmt.Sprintf("%s %s", r.op, r.dtypes) }
