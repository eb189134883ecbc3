package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the command itself when it is run under this name.
func TestMain(m *testing.M) {
	if slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzz") }) {
		os.Exit(m.Run()) // the workers of a fuzz run have pipes of their own, which testscript does not know
	}
	testscript.Main(m, map[string]func(){
		"copaflash": func() {
			os.Exit(int(start(desk{root: cmp.Or(os.Getenv(deskVariable), theDesk.root), openDFU: openForTests})))
		},
	})
}

// deskVariable has the folder of the desk that the command under test is on.
const deskVariable = "COPAFLASH_TEST_DESK"

// TestScripts runs testdata/*.txtar: what the command prints, and how it fails.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("COPAFLASH_PORT", "")
			e.Setenv(deskVariable, filepath.Join(e.WorkDir, "desk"))
			e.Setenv("ONLYCOPAFLASH", filepath.SplitList(e.Getenv("PATH"))[0])
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "rp2040js" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			_, err := os.Stat("../../hil/emulator/rp2040js/node_modules/rp2040js")
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"board":     boardCmd,
			"reset":     resetCmd,
			"rom":       romCmd,
			"esprom":    espromCmd,
			"attach":    attachCmd,
			"detach":    detachCmd,
			"builtin":   builtinCmd,
			"runner":    runnerCmd,
			"probe":     probeCmd,
			"uf2":       uf2Cmd,
			"dfu":       dfuCmd,
			"terminal":  terminalCmd,
			"spoil":     spoil,
			"longname":  longname,
			"forge":     forge,
			"everyverb": everyverb,
		},
	})
}

// spoil changes one byte of a file, at a third of its length.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	b := []byte(ts.ReadFile(args[0]))
	b[len(b)/3] ^= 4
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

// longname writes a graph file with an op of a million letters.
func longname(ts *testscript.TestScript, neg bool, args []string) {
	text := `{"format":"copaflash-graph","version":1,"nodes":[{"op":"` + strings.Repeat("x", 1e6) + `","type":"f32"}],"outputs":[{"name":"y","node":0}]}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// TestStartIsCheap: what every command begins with decodes no library of stencils, each of which
// is thousands of allocations.
func TestStartIsCheap(t *testing.T) {
	got := testing.AllocsPerRun(5, func() {
		if code := run(t.Context(), []string{"version"}, io.Discard, io.Discard); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
	})
	t.Logf("%.0f allocations", got)
	if got > 5000 {
		t.Errorf("%.0f allocations", got)
	}
}

// exits runs a command that must end with a certain exit code:
//
//	exits CODE copaflash ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var status *exec.ExitError
	if errors.As(err, &status) {
		got = status.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// TestInterrupt checks that a cancelled command ends without a result, and says
// that and where, not that the script was wrong.
func TestInterrupt(t *testing.T) {
	script := filepath.Join(t.TempDir(), "loop.py")
	if err := os.WriteFile(script, []byte("while True: pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--quiet", "--json"} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(10*time.Millisecond, cancel)
		var stdout, stderr strings.Builder
		if code := run(ctx, []string{"run", script, flag}, &stdout, &stderr); code != exitFailed {
			t.Errorf("exit code %d", code)
		}
		if text := stdout.String() + stderr.String(); !strings.Contains(text, "interrupted in "+script+", line 1") || strings.Contains(text, "Traceback") {
			t.Errorf("printed %q", text)
		}
	}
}
