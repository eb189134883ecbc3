package bind

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler"
)

// simulated begins the names of channels that are computed.
const simulated = "sim:"

// A kind is a way to simulate a channel.
type kind struct {
	name    string
	takes   string // what stands behind its name and "="; empty: nothing
	must    bool   // it has to
	does    string // one line
	options []option
	open    bool // options of other names are its own matter
	feed    func(j *job, in compiler.Port, c *channel) error
}

// An option is a word, or a number with a unit.
type option struct {
	name    string
	unit    string   // of a number; "1" for none
	words   []string // that it may be; nil: a number, or any text
	initial string   // its default
	does    string
}

// kinds are in the order of help texts.
var kinds []*kind

func init() { // a function, since kinds name what is made of them
	kinds = []*kind{
		{name: "sine", does: "a sine", feed: feedSine, options: []option{
			{"freq", "Hz", nil, "1Hz", "how often it repeats"},
			{"amplitude", "1", nil, "1", "in the unit of the variable"},
			{"offset", "1", nil, "0", "its mean"},
			{"phase", "deg", nil, "0deg", "at tick 0"},
		}},
		{name: "loop", takes: "OUTPUT", does: "what an output had when the tick before ended", feed: feedLoop},
		{name: "csv", takes: "FILE", must: true, does: "numbers of a table, a row for each tick", feed: feedTable, options: []option{
			{"column", "", nil, "", "name or number, from 1 on; of an array several, as ax+ay+az (default: the variable's name, or the only column)"},
			{"rate", "Hz", nil, "", "rows per second (default: a row for each tick)"},
			{"between", "", []string{"hold", "linear"}, "hold", "rows that are more than a tick apart"},
			{"end", "", []string{"hold", "repeat"}, "hold", "behind the last row"},
		}},
		{name: "plant", takes: "SCRIPT", must: true, open: true, does: "a program whose outputs are the inputs of this one, and the other way round", feed: feedPlant, options: []option{
			{"output", "", nil, "", "of the plant, that feeds the variable (default: the one of its name)"},
		}},
	}
}

// Forms lists the simulated channels, for hints.
func Forms() string {
	var list []string
	for _, k := range kinds {
		list = append(list, k.form())
	}
	return "simulated channels are " + strings.Join(list, ", ")
}

func (k *kind) form() string {
	text := simulated + k.name
	switch {
	case k.takes != "" && k.must:
		text += "=" + k.takes
	case k.takes != "":
		text += "[=" + k.takes + "]"
	}
	return text
}

// Help describes the simulated channels and their options, a line each.
func Help() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-20s %s\n", k.form(), k.does)
		for _, o := range k.options {
			text := o.does
			if o.initial != "" {
				text += " (default: " + o.initial + ")"
			}
			fmt.Fprintf(&b, "    %-18s %s\n", o.form(), text)
		}
	}
	return b.String()
}

func (o *option) form() string {
	switch {
	case o.words != nil:
		return o.name + "=" + strings.Join(o.words, "|")
	case o.unit == "", o.unit == "1":
		return o.name + "=..."
	}
	return o.name + "=..." + o.unit
}

// A channel is what a text names.
type channel struct {
	set     *Set // that it is of
	kind    *kind
	arg     string
	options map[string]string
}

func parseChannel(text string) (*channel, error) {
	parts := strings.Split(strings.TrimPrefix(text, simulated), ",")
	name, arg, given := strings.Cut(parts[0], "=")
	at := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if at < 0 {
		return nil, refuse(Forms(), "there is no channel %q", simulated+name)
	}
	c := &channel{kind: kinds[at], arg: arg, options: map[string]string{}}
	switch k := c.kind; {
	case k.must && arg == "":
		return nil, refuse("write "+k.form(), "%s%s does not say which", simulated, name)
	case given && (k.takes == "" || arg == ""):
		return nil, refuse("write "+k.form()+", options behind it, each after a comma", "%q is not understood", parts[0])
	}
	for _, part := range parts[1:] {
		name, value, ok := strings.Cut(part, "=")
		_, twice := c.options[name]
		if !ok || name == "" || value == "" || twice {
			return nil, refuse("options are NAME=VALUE, each once, after commas", "%q is not understood", part)
		}
		if err := c.kind.check(name, value); err != nil {
			return nil, err
		}
		c.options[name] = value
	}
	return c, nil
}

// check reports what is wrong with the text of an option.
func (k *kind) check(name, value string) error {
	at := slices.IndexFunc(k.options, func(o option) bool { return o.name == name })
	if at < 0 {
		if k.open {
			return nil
		}
		var forms []string
		for _, o := range k.options {
			forms = append(forms, o.form())
		}
		return refuse("it has "+listOr(forms, "none"), "%s%s has no option %q", simulated, k.name, name)
	}
	o := &k.options[at]
	switch {
	case o.words != nil && !slices.Contains(o.words, value):
		return refuse("it is "+strings.Join(o.words, " or "), "%s=%s: there is no such word", name, value)
	case o.unit != "":
		_, err := o.number(value)
		return err
	}
	return nil
}

var quantity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?) ?([mkM]?)([A-Za-z]*)$`)
})

var prefixes = map[string]float64{"": 1, "m": 1e-3, "k": 1e3, "M": 1e6}

// number reads a value with its unit, which may be left out.
func (o *option) number(text string) (float64, error) {
	m := quantity().FindStringSubmatch(text)
	bare := o.unit == "1"
	if m == nil || m[3] != "" && (bare || m[3] != o.unit) || bare && m[2] != "" {
		want := "a number"
		if !bare {
			want += " of " + o.unit
		}
		return 0, refuse("such as "+o.name+"="+o.initialOr("100Hz"), "%s=%s: want %s", o.name, text, want)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, refuse("", "%s=%s is too great", o.name, text)
	}
	return x * prefixes[m[2]], nil
}

func (o *option) initialOr(example string) string {
	if o.initial == "" {
		return example
	}
	return o.initial
}

// word is the text of an option, or its default.
func (c *channel) word(name string) string {
	if v, ok := c.options[name]; ok {
		return v
	}
	at := slices.IndexFunc(c.kind.options, func(o option) bool { return o.name == name })
	return c.kind.options[at].initial
}

// number is the number of an option that was checked; 0 where it has no default and is not given.
func (c *channel) number(name string) float64 {
	at := slices.IndexFunc(c.kind.options, func(o option) bool { return o.name == name })
	x, _ := c.kind.options[at].number(c.word(name))
	return x
}

// rate is how often the program runs, for channels that count in seconds.
func (j *job) rate() (float64, error) {
	if hz := j.w.TickRate(); hz > 0 {
		return hz, nil
	}
	return 0, refuse("say it with --rate, by cp.task(rate=...), or in tg.bind(..., rate=...)", "nothing says how often the program runs")
}
