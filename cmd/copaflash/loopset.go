package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// shownValue is a variable of a loop, in documents and for people.
type shownValue struct {
	Name  string `json:"name"`
	Value value  `json:"value"`
	Unit  string `json:"unit,omitempty"`
	Was   *value `json:"was,omitempty"` // before a set
}

func (v shownValue) String() string {
	text := v.Name + " = " + v.Value.String() + unitText(v.Unit)
	if v.Was != nil {
		text += " (was " + v.Was.String() + ")"
	}
	return text
}

func unitText(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

func setCommand(a *app) *cobra.Command {
	var flags loopFlags
	var force bool
	var at uint32
	c := &cobra.Command{
		Use:   "set NAME=VALUE...",
		Short: "Change variables of the loop on a board: all of them together, between two ticks",
		Long: `Change parameters of the loop that runs on a board. All of them take effect together,
between two ticks; the command returns when they have, and says at which tick.

A value may have the unit that the program states (speed=20rad/s); another unit is
refused, as nothing is converted. Elements of arrays are separated by commas, and
one element is named by its index (gains[1]=0.5). Values beyond the limits that the
program states, inputs and outputs are refused; --force sets them all the same.`,
		Example: `  copaflash set kp=2 ki=1
  copaflash set setpoint=1.5rad --at 20000
  copaflash set gains=2,1,0.1 --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &failure{Code: exitUsage, Message: "nothing to set", Hint: "for example: copaflash set kp=2 ki=1"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.attach(c.Context(), &flags)
			if err != nil {
				return err
			}
			defer l.dev.Close()
			changes, err := parseChanges(l.img, args, setRules{force: force})
			if err != nil {
				return err
			}
			was, tick, err := a.change(c.Context(), l, changes, at)
			if err != nil {
				return err
			}
			shown := make([]shownValue, len(changes))
			for i, ch := range changes {
				old := value(ch.symbol.Decode(was[i]))
				shown[i] = shownValue{ch.symbol.Name, value(ch.symbol.Decode(ch.piece.Bytes)), ch.symbol.About().Unit, &old}
			}
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Tick uint32       `json:"tick"`
					Set  []shownValue `json:"set"`
				}{okDocument("set"), tick, shown})
			}
			for _, v := range shown {
				a.ui.out("%s\n", v)
			}
			a.ui.note("since tick %d", tick)
			return nil
		},
	}
	flags.add(c)
	c.Flags().BoolVar(&force, "force", false, "set inputs, outputs and values beyond the limits, too")
	c.Flags().Uint32Var(&at, "at", 0, "set them at this tick, or at the next one if it is over (default: at the next one)")
	return c
}

// change sets variables together, and returns what they were.
func (a *app) change(ctx context.Context, l *attached, changes []change, at uint32) (was [][]byte, tick uint32, err error) {
	spans := make([]device.Span, len(changes))
	pieces := make([]device.Piece, len(changes))
	for i, c := range changes {
		spans[i], pieces[i] = device.SpanOf(c.symbol), c.piece
	}
	was, ticks, err := l.Read(ctx, spans)
	if err != nil {
		return nil, 0, err
	}
	if far := at - ticks; at > ticks && far > math.MaxInt32 {
		return nil, 0, &failure{Code: exitUsage, Message: fmt.Sprintf("--at %d is %d ticks from now: tick numbers wrap, and what is more than %d ahead counts as over", at, far, math.MaxInt32),
			Hint: "give a tick that comes sooner, or leave out --at for the next one"}
	}
	if at > ticks {
		a.ui.note("waiting for tick %d, %d from now", at, at-ticks)
	}
	if tick, err = l.Set(ctx, pieces, at); err != nil {
		return nil, 0, inDoubt(ctx, err, "before the values were seen to take effect, which they still may: copaflash get shows them")
	}
	return was, tick, nil
}

// change is a variable and the value that it is to have.
type change struct {
	symbol *image.Symbol
	piece  device.Piece
}

// setRules say what may be set.
type setRules struct {
	first bool // before the first tick: also inputs, which a pin or the host writes later
	force bool // anything
}

// parseSets reads NAME=VALUE arguments for a program before its first tick.
func parseSets(img *image.Image, args []string) ([]device.Piece, error) {
	changes, err := parseChanges(img, args, setRules{first: true})
	if err != nil {
		return nil, err
	}
	pieces := make([]device.Piece, len(changes))
	for i, c := range changes {
		pieces[i] = c.piece
	}
	return pieces, nil
}

// parseChanges reads NAME=VALUE arguments, so that all are checked before the first is set.
func parseChanges(img *image.Image, args []string, rules setRules) ([]change, error) {
	var changes []change
	for _, arg := range args {
		// The name may have a =, as parts["a=b"]; a value has none.
		at := strings.LastIndexByte(arg, '=')
		if at < 0 {
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%q is not NAME=VALUE", arg), Hint: "for example: kp=2"}
		}
		s, err := settable(img, strings.TrimSpace(arg[:at]), rules)
		if err != nil {
			return nil, err
		}
		raw, err := parseValue(s, arg[at+1:], rules)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if from, to := c.symbol.Offset, s.Offset; from < to+uint32(s.Size()) && to < from+uint32(c.symbol.Size()) {
				return nil, &failure{Code: exitUsage, Message: s.Name + " is given two values", Hint: "give each variable once"}
			}
		}
		changes = append(changes, change{s, device.Piece{Offset: s.Offset, Bytes: raw}})
	}
	return changes, nil
}

// settable finds a variable, or an element of one, that may be set.
func settable(img *image.Image, name string, rules setRules) (*image.Symbol, error) {
	s, err := findVariable(img, name, image.Input, image.State, image.Output)
	switch {
	case err != nil || rules.force:
		return s, err
	case s.Kind == image.Output:
		return nil, &failure{Code: exitUsage, Message: s.Name + " is an output: the program computes it anew in each tick", Hint: settableHint(img, rules)}
	case s.About().Role == graph.RoleInput && !rules.first:
		return nil, &failure{Code: exitUsage, Message: s.Name + " is an input: what is measured overwrites it", Hint: settableHint(img, rules)}
	}
	return s, nil
}

func settableHint(img *image.Image, rules setRules) string {
	var names []string
	for i := range img.Symbols {
		if s := &img.Symbols[i]; s.Kind == image.Input && s.About().Role != graph.RoleInput && len(names) < 20 {
			names = append(names, s.Name)
		}
	}
	hint := "the program has no parameters"
	if len(names) > 0 {
		hint = "parameters are " + strings.Join(names, ", ")
	}
	if !rules.first {
		hint += "; --force sets it all the same"
	}
	return hint
}

var elementName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)\[([0-9, ]+)\]$`)
})

// findVariable finds a variable by its name, of the first kind that has one, or an element of an
// array: v[2], m[0,1].
func findVariable(img *image.Image, name string, kinds ...image.Kind) (*image.Symbol, error) {
	find := func(name string) *image.Symbol {
		for _, k := range kinds {
			if s, ok := img.Symbol(k, name); ok {
				return s
			}
		}
		return nil
	}
	if s := find(name); s != nil {
		return s, nil
	}
	if m := elementName().FindStringSubmatch(name); m != nil {
		if s := find(m[1]); s != nil {
			return element(s, name, m[2])
		}
	}
	return nil, unknownVariable(img, name)
}

// element is one element of an array, as a variable of its own.
func element(s *image.Symbol, name, indices string) (*image.Symbol, error) {
	parts := strings.Split(indices, ",")
	refuse := func() error {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("there is no element %s: the shape of %s is %v", name, s.Name, s.Shape), Hint: "indices count from 0"}
	}
	if len(parts) != len(s.Shape) {
		return nil, refuse()
	}
	at := 0
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || n >= s.Shape[i] {
			return nil, refuse()
		}
		at = at*s.Shape[i] + n
	}
	e, about := *s, s.About()
	about.Safe = nil
	e.Name, e.Shape, e.Offset, e.Meta = name, nil, s.Offset+uint32(at*s.DType.Size()), &about
	return &e, nil
}

// isSeparator tells what stands between elements.
func isSeparator(r rune) bool { return strings.ContainsRune(", []", r) }

// parseValue is the bytes of a value, which may have the variable's unit. Values beyond its limits
// are refused, unless they are forced.
func parseValue(s *image.Symbol, text string, rules setRules) ([]byte, error) {
	bare, err := dropUnit(s, text)
	if err != nil {
		return nil, err
	}
	raw, err := encodeSymbol(s, strings.FieldsFunc(bare, isSeparator))
	if err != nil {
		return nil, err
	}
	if rules.force {
		return raw, nil
	}
	if err := s.Check(s.Decode(raw).Bits); err != nil {
		hint := "--force sets it all the same"
		if rules.first {
			hint = "the limits are the program's: change them there"
		}
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: hint}
	}
	return raw, nil
}

var trailingUnit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*[0-9.\]])\s*([^-+0-9.,\[\]\s].*)$`)
})

// dropUnit takes the unit off a value that has one.
func dropUnit(s *image.Symbol, text string) (string, error) {
	text = strings.TrimSpace(text)
	unit := s.About().Unit
	// 5ms ends in s, and is no number of seconds.
	if bare, ok := strings.CutSuffix(text, unit); ok && unit != "" && (areNumbers(bare) || !trailingUnit().MatchString(bare)) {
		return strings.TrimSpace(bare), nil
	}
	m := trailingUnit().FindStringSubmatch(text)
	if m == nil || areNumbers(text) || !areNumbers(m[1]) { // 1e3 and 0x1f end in no unit
		return text, nil
	}
	if unit != "" && withoutSpaces(m[2]) == withoutSpaces(unit) { // Nm and N m
		return strings.TrimSpace(m[1]), nil
	}
	if unit == "" {
		return "", &failure{Code: exitUsage, Message: fmt.Sprintf("%s has no unit, and %q was given one", s.Name, text), Hint: "give the number alone"}
	}
	return "", &failure{Code: exitUsage, Message: fmt.Sprintf("%s is in %s, and not in %s: nothing is converted", s.Name, unit, m[2]),
		Hint: fmt.Sprintf("give the number in %s", unit)}
}

func withoutSpaces(text string) string { return strings.ReplaceAll(text, " ", "") }

// areNumbers reports whether a text is numbers and what may stand between them.
func areNumbers(text string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(text, isSeparator), func(word string) bool {
		_, asFloat := strconv.ParseFloat(word, 64)
		_, asInt := strconv.ParseInt(word, 0, 64)
		return asFloat != nil && asInt != nil
	})
}
