package main

import (
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// suggest puts what was probably meant before the hint of a failure.
func (f *failure) suggest(meant string) {
	if meant == "" || strings.Contains(f.Hint, "did you mean") {
		return
	}
	f.Hint = strings.TrimSuffix("did you mean "+meant+"? "+f.Hint, " ")
}

var unknownFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^unknown flag: --([^ =]+)`)
})

// nearFlag is the flag of a command that is most like one that it does not have.
func nearFlag(c *cobra.Command, message string) string {
	m := unknownFlag().FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := vm.Similar(m[1], names); near != "" {
		return "--" + near
	}
	return ""
}

// nearChoice is what a verb offers that is most like a value of a flag, or an argument, that
// the message is about.
func nearChoice(c *cobra.Command, message string) string {
	var near string
	look := func(value string, list choices) {
		_, last, ok := strings.Cut(value, ":") // qemu:BOARD
		if !ok {
			last = value
		}
		if list == nil || near != "" || last == "" || !strings.Contains(message, last) {
			return
		}
		var names []string
		for _, line := range list() {
			name, _, _ := strings.Cut(line, "\t")
			if name == value {
				return
			}
			names = append(names, name)
		}
		near = vm.Similar(value, names)
	}
	c.Flags().Visit(func(f *pflag.Flag) { look(f.Value.String(), completedFlags[f.Name]) })
	if args := c.Flags().Args(); len(args) > 0 {
		look(args[0], completedArgs[c.Name()])
	}
	return near
}
