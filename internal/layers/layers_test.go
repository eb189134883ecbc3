// Package layers holds the direction of the imports of the whole module. Data
// flows one way, from the script to the board:
//
//	script -> graph -> opt, autodiff -> lower -> sched -> regalloc -> branch -> link -> image
//	       -> protocol -> firmware
//
// and no package imports against it. What is not allowed in the table is
// forbidden, so that a new dependency between parts is a decision made here.
package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/copaflash/copaflash/"

// allowed says what the packages of a folder may import of this module besides
// packages of the same folder. A folder stands for all below it, except that one
// with a line of its own is not covered by that of its parent, on either side.
var allowed = map[string]string{
	"compiler/graph":             "",
	"compiler/graph/graphtest":   "compiler/graph",
	"compiler/eval":              "compiler/graph",
	"compiler/image":             "compiler/graph protocol/packet protocol/patch",
	"compiler/internal/autodiff": "compiler/graph",
	"compiler/internal/opt":      "compiler/graph compiler/eval",
	"compiler/internal/unroll":   "compiler/graph",
	"compiler/internal/lir":      "compiler/graph",
	"compiler/internal/lower":    "compiler/graph compiler/internal/lir",
	"compiler/internal/sched":    "compiler/graph compiler/internal/lir",
	"compiler/internal/regalloc": "compiler/graph compiler/internal/lir",
	"compiler/internal/branch":   "compiler/graph compiler/internal/lir compiler/internal/regalloc",
	"compiler/internal/link":     "compiler/graph compiler/internal/lir compiler/internal/regalloc stencils",
	"compiler": "compiler/graph compiler/image stencils compiler/internal/autodiff compiler/internal/opt compiler/internal/unroll compiler/internal/lir " +
		"compiler/internal/lower compiler/internal/sched compiler/internal/regalloc compiler/internal/branch " +
		"compiler/internal/link protocol/packet protocol/patch",
	"compiler/bind": "boards boards/channels boards/chips boards/conversion boards/registers compiler compiler/eval compiler/graph compiler/image",
	// It does with the lists of a program what a runner does, beside the model of a chip.
	"compiler/bind/bindtest": "boards/models boards/registers compiler/device compiler/image protocol/packet",
	"compiler/device/loop":   "compiler compiler/device compiler/image protocol/packet",
	"compiler/device":        "compiler compiler/graph compiler/image protocol/packet",
	// It runs machine code in this process: who imports it must have compiled that code itself.
	"compiler/native":            "compiler/image protocol/packet protocol/patch",
	"compiler/device/devicetest": "compiler compiler/device compiler/eval compiler/graph compiler/image compiler/native protocol/packet",
	"compiler/device/oracle":     "compiler compiler/device compiler/device/loop compiler/eval compiler/graph compiler/image protocol/packet",
	"compiler/script": "compiler compiler/bind compiler/device compiler/graph compiler/image compiler/internal/autodiff " +
		"compiler/script/copapy/array compiler/script/copapy/filters compiler/script/copapy/linalg compiler/script/copapy/quaternion " +
		"compiler/script/python/files compiler/script/python/mathmod compiler/script/python/pylib compiler/script/python/vm compiler/sweep",

	// Arrays know nothing of programs, targets and derivatives, which use them.
	"compiler/script/copapy/array":      "compiler/graph compiler/script/python/mathmod compiler/script/python/vm",
	"compiler/script/copapy/linalg":     "compiler/graph compiler/script/copapy/array compiler/script/python/vm",
	"compiler/script/copapy/filters":    "compiler/graph compiler/script/copapy/array compiler/script/python/vm",
	"compiler/script/copapy/quaternion": "compiler/graph compiler/script/copapy/array compiler/script/copapy/linalg compiler/script/python/vm",

	// The interpreter of Python knows nothing of graphs.
	"compiler/script/python/syntax":   "",
	"compiler/script/python/numfmt":   "",
	"compiler/script/python/libm":     "",
	"compiler/script/python/files":    "",
	"compiler/script/python/bytecode": "compiler/script/python/syntax",
	"compiler/script/python/vm":       "compiler/script/python/bytecode compiler/script/python/libm compiler/script/python/numfmt compiler/script/python/syntax",
	"compiler/script/python/mathmod":  "compiler/script/python/libm compiler/script/python/vm",
	"compiler/script/python/pylib":    "compiler/script/python/files compiler/script/python/syntax compiler/script/python/vm",
	"compiler/service":                "compiler compiler/bind compiler/device compiler/graph compiler/image compiler/internal/autodiff stencils",

	"stencils":   "protocol/packet",
	"boards":     "firmware/flat firmware/images",
	"boards/usb": "boards",
	// The meaning of entries and of conversions stands on its own.
	"boards/registers":  "protocol/packet",
	"boards/conversion": "",
	"boards/chips":      "boards/conversion boards/registers firmware/chip",
	"boards/machine":    "boards boards/chips",
	"boards/channels":   "boards boards/chips boards/conversion boards/registers",
	"boards/models":     "boards/registers",
	"firmware/chip":     "",
	"protocol":          "protocol/packet protocol/patch",

	// What the compiler and the wire agree on.
	"protocol/packet": "",
	"protocol/patch":  "protocol/packet",

	"firmware":              "",
	"firmware/build":        "boards boards/chips firmware/build/runner",
	"firmware/build/runner": "boards firmware",
	"firmware/images":       "",
	"firmware/flat":         "",
	"firmware/flash":        "",
	"firmware/local":        "firmware/images protocol",
	// It measures, and speaks to a runner as a host does.
	"firmware/local/cyclic": "firmware/images protocol protocol/packet",
	"firmware/test":         "protocol protocol/packet protocol/patch",

	"compiler/jit": "compiler compiler/device compiler/graph compiler/image hil/target protocol/packet",

	"hil":          "hil/record compiler compiler/device compiler/device/oracle compiler/graph compiler/image compiler/script hil/target protocol",
	"hil/emulator": "boards firmware/flash protocol",
	"hil/table":    "compiler/device compiler/graph compiler/image compiler/sweep/plot hil/record",
	"hil/soak":     "compiler compiler/device compiler/device/oracle compiler/graph compiler/image",
	"hil/record":   "compiler compiler/device compiler/graph compiler/image",
	"hil/share":    "boards boards/machine compiler compiler/device compiler/image protocol protocol/packet",
	"hil/target":   "boards boards/machine compiler compiler/device compiler/device/loop compiler/device/oracle compiler/image compiler/native firmware/local hil/emulator protocol protocol/packet",
	"cmd": "internal compiler/bind boards boards/channels boards/chips boards/machine boards/usb firmware/flash compiler/sweep compiler/sweep/plot compiler/sweep/cluster compiler/sweep/cluster/embedded compiler compiler/device compiler/device/oracle compiler/graph compiler/image compiler/script compiler/script/python/vm compiler/service " +
		"firmware firmware/build/runner firmware/images firmware/local hil hil/emulator hil/record hil/soak hil/share hil/table hil/target protocol protocol/packet stencils",

	// What is needed to spread sweeps over machines stays where only the command imports it.
	"compiler/sweep":                  "compiler compiler/device compiler/eval compiler/graph compiler/image",
	"compiler/sweep/plot":             "compiler/sweep",
	"compiler/sweep/cluster":          "compiler compiler/device compiler/device/oracle compiler/graph compiler/sweep",
	"compiler/sweep/cluster/embedded": "",

	"docs/internal/wiring": "boards boards/chips",

	"examples": "compiler compiler/graph compiler/image compiler/jit",
	"internal": "",
	// It times what users do, from scripts to machine code; no product imports it.
	"internal/benchpage": "compiler compiler/device compiler/graph compiler/image compiler/jit compiler/script hil/target internal protocol/packet",
}

// folder is the line of the table that a package belongs to: the longest match.
func folder(pkg string) (string, bool) {
	for p := pkg; ; {
		if _, ok := allowed[p]; ok {
			return p, true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return "", false
		}
		p = p[:i]
	}
}

func TestImportsFlowOneWay(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)

	packages := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		pkg, ours := strings.CutPrefix(fields[0], module)
		if !ours {
			continue
		}
		packages++
		from, ok := folder(pkg)
		if !ok {
			t.Errorf("%s: its folder has no line in the table of allowed imports", pkg)
			continue
		}
		may := strings.Fields(allowed[from])
		for _, imp := range fields[1:] {
			imp, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			to, ok := folder(imp)
			if ok && to != from && !slices.Contains(may, to) {
				t.Errorf("%s imports %s: packages of %s may import of this module: %s", pkg, imp, from, allowed[from])
			}
		}
	}
	require.Greater(t, packages, 20, "go list found hardly any package")
}

// TestTableHasNoCycle proves that the table itself allows no import against the
// flow: its folders can be put in an order.
func TestTableHasNoCycle(t *testing.T) {
	const open, closed = 1, 2
	state := map[string]int{}
	var visit func(string, []string)
	visit = func(f string, path []string) {
		path = append(path, f)
		if state[f] == open {
			t.Fatalf("cycle: %s", strings.Join(path, " -> "))
		}
		if state[f] == closed {
			return
		}
		state[f] = open
		for _, to := range strings.Fields(allowed[f]) {
			_, ok := allowed[to]
			require.True(t, ok, "%s allows %s, which has no line", f, to)
			visit(to, path)
		}
		state[f] = closed
	}
	for f := range allowed {
		visit(f, nil)
	}
}

// TestIndirectImports names the borders that the design insists on: what packages must not
// import by way of whatever others.
func TestIndirectImports(t *testing.T) {
	const frontEnd = "compiler/script"
	for from, never := range map[string]string{
		"protocol":                      "compiler",
		"stencils":                      "compiler",
		"compiler/device":               frontEnd,
		"compiler/jit":                  frontEnd,
		"compiler/service":              frontEnd,
		"hil/target":                    frontEnd,
		"compiler/script/copapy/manual": "compiler/script/python/vm",
	} {
		out, err := exec.Command("go", "list", "-deps", module+from+"/...").Output()
		require.NoError(t, err)
		found := false
		for pkg := range strings.FieldsSeq(string(out)) {
			found = found || within(pkg, module+from)
			if within(pkg, module+never) {
				t.Errorf("%s depends on %s: go list -deps ./%s/... says by way of which packages", from, pkg, from)
			}
		}
		require.True(t, found, "there is no package in %s", from)
	}
}

// within tells whether a package is in a folder.
func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }
