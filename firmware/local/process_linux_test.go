package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// childOf returns the process that executes a runner's program.
func childOf(t *testing.T, runner int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		// PID (NAME) STATE PARENT ...; a name may hold anything.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if parent, _ := strconv.Atoi(fields[1]); parent == runner && fields[0] != "Z" {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			return pid
		}
	}
	t.Fatalf("no child of process %d", runner)
	return 0
}

// A mapping is a line of /proc/PID/maps.
type mapping struct {
	from, to uint64
	mode     string
	name     string
}

// maps returns the memory of a process, or nil where this user may not see it:
// only root may look into a runner.
func maps(t *testing.T, pid int) []mapping {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if os.Geteuid() != 0 {
		require.ErrorIs(t, err, os.ErrPermission, "others can look into a runner")
		t.Log("only root can look into a runner: this is all that is seen of it")
		return nil
	}
	require.NoError(t, err)
	var all []mapping
	for line := range strings.Lines(string(text)) {
		var m mapping
		fields := strings.Fields(line)
		_, err := fmt.Sscanf(fields[0], "%x-%x", &m.from, &m.to)
		require.NoError(t, err)
		m.mode = fields[1]
		m.name = strings.Join(fields[min(5, len(fields)):], " ")
		all = append(all, m)
	}
	return all
}

// codeModes checks that no page is both writable and executable, and returns how code memory is mapped.
func codeModes(t *testing.T, all []mapping) []string {
	t.Helper()
	var modes []string
	for _, m := range all {
		require.False(t, strings.Contains(m.mode, "w") && strings.Contains(m.mode, "x"), "%+v", m)
		if strings.Contains(m.name, "memfd:code") {
			modes = append(modes, m.mode)
		}
	}
	return modes
}

// The runner can write code memory and the program's process can execute it, neither both.
func TestNoPageIsWritableAndExecutable(t *testing.T) {
	c := start(t)
	c.works(native)
	runner := maps(t, c.runner.PID())
	if runner == nil {
		return
	}
	require.Equal(t, []string{"rw-s"}, codeModes(t, runner))
	require.Equal(t, []string{"r-xs"}, codeModes(t, maps(t, childOf(t, c.runner.PID()))))
}

// Of what the runner can write, its child has the parts that programs work with and its own variables, nothing else.
func TestChildHasLittleOfTheRunner(t *testing.T) {
	c := start(t)
	c.works(native)
	runner := maps(t, c.runner.PID())
	if runner == nil {
		return
	}
	has := map[uint64]bool{}
	for _, m := range maps(t, childOf(t, c.runner.PID())) {
		has[m.from] = true
	}
	var kept []mapping
	for _, m := range runner {
		if strings.HasPrefix(m.mode, "rw") && !has[m.from] {
			kept = append(kept, m)
		}
	}
	require.Len(t, kept, 1, "%+v", runner)
	require.Greater(t, kept[0].to-kept[0].from, uint64(4<<20), "session, queues and samples")
}

func TestBothProcessesAreConfined(t *testing.T) {
	c := start(t)
	c.works(native)
	child := childOf(t, c.runner.PID())
	for _, pid := range []int{c.runner.PID(), child} {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		require.Contains(t, string(status), "Seccomp:\t2\n")
		require.Contains(t, string(status), "NoNewPrivs:\t1\n")
		require.Contains(t, string(status), "Threads:\t1\n")
		limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
		require.NoError(t, err)
		require.Regexp(t, `Max core file size +0 +0 `, string(limits))
		if pid == child {
			require.Contains(t, string(status), "Seccomp_filters:\t2\n", "one more than the runner")
			require.Regexp(t, `Max open files +0 +0 `, string(limits))
			require.Regexp(t, `Max processes +0 +0 `, string(limits))
		}
	}
	if os.Geteuid() != 0 {
		return // nobody else may look at the descriptors
	}
	for pid, want := range map[int][]string{c.runner.PID(): {"0", "1", "2", "3"}, child: nil} {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		require.NoError(t, err)
		var fds []string
		for _, e := range entries {
			fds = append(fds, e.Name())
		}
		require.Equal(t, want, fds)
	}
}

// An interrupt from the keyboard goes to a whole process group: to the host's, which decides what ends.
func TestInterruptsFromTheKeyboardReachTheHostAlone(t *testing.T) {
	c := start(t)
	c.works(native)
	for _, pid := range []int{c.runner.PID(), childOf(t, c.runner.PID())} {
		group, err := syscall.Getpgid(pid)
		require.NoError(t, err)
		require.NotEqual(t, syscall.Getpgrp(), group)
		require.Equal(t, c.runner.PID(), group)
	}
}

// A program's process ends with it: at the next program, and with the runner.
func TestOneProcessForEachProgram(t *testing.T) {
	c := start(t)
	c.works(native)
	first := childOf(t, c.runner.PID())
	c.works(native)
	second := childOf(t, c.runner.PID())
	require.NotEqual(t, first, second)
	require.NoFileExists(t, fmt.Sprintf("/proc/%d/stat", first))
	require.NoError(t, c.runner.Close())
	require.NoFileExists(t, fmt.Sprintf("/proc/%d/stat", second))
}
