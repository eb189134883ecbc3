package emulator

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// QEMU prints this line for a pty, on stdout or stderr depending on its version.
var redirected = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`char device redirected to (/dev/\S+) \(label (?:serial0|line-base)\)\r?\n`)
})

// maxOutput bounds what is kept of QEMU's output; the beginning says most.
const maxOutput = 8 << 10 // bytes

// output collects what QEMU prints and finds the name of the tty in it.
type output struct {
	tty chan string // receives the name once

	mu    sync.Mutex
	text  bytes.Buffer
	found bool
}

func newOutput() *output { return &output{tty: make(chan string, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p[:min(len(p), maxOutput-o.text.Len())])
	if !o.found {
		if m := redirected().FindSubmatch(o.text.Bytes()); m != nil {
			o.found = true
			o.tty <- string(m[1])
		}
	}
	return len(p), nil
}

// quote returns the text for use at the end of an error: empty, or after a colon
// and without the line that names the tty.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.TrimSpace(redirected().ReplaceAllString(o.text.String(), ""))
	if text == "" {
		return ""
	}
	return fmt.Sprintf(": %s", text)
}
