package benchpage

import (
	"os"
	"regexp"
	"runtime"
	"strings"
)

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)

// processor is the model of the processor where the system tells, or its architecture.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if m := modelName.FindSubmatch(text); err == nil && m != nil {
		return strings.TrimSpace(string(m[1]))
	}
	return runtime.GOARCH
}

// loadAverage is that of the last minute, or "".
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
