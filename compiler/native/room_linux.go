//go:build amd64 || arm64

package native

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// mappingsOfProgram is how many mappings the kernel counts for a program.
const mappingsOfProgram = 6

// mostPrograms leaves half of the mappings that the kernel allows a process to everything else: without any,
// the runtime can neither start threads nor grow its heap, and ends the process.
var mostPrograms = sync.OnceValue(func() uint32 {
	allowed := 65530 // where it says nothing
	if text, err := os.ReadFile("/proc/sys/vm/max_map_count"); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			allowed = n
		}
	}
	return uint32(max(0, min(allowed/2/mappingsOfProgram, maxPrograms)))
})
