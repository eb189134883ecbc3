package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	columns "github.com/copaflash/copaflash/hil/table"
)

// conditionHint says what --when takes.
const conditionHint = "--when takes 'err>0.1', 'u<=-2', 'rising(x)', 'falling(x<1.5)', a bool's name, or fault"

var (
	comparison = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.+?)\s*(>=|<=|==|!=|>|<|=)\s*(.+)$`)
	})
	compound = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s(and|or|not)\s|&|\||[<>].*[^<>=].*[<>]`)
	})
	edge = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(rising|falling)\s*\((.*)\)$`)
	})
)

// edgeKinds are the kinds of triggers of which something is an edge.
var edgeKinds = map[string]string{"rising": "above", "falling": "below"}

// parseCondition reads what starts the end of a capture, and the variable that it is about; nil for
// none.
func parseCondition(img *image.Image, text string) (device.Trigger, *image.Symbol, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return device.Trigger{Kind: "now"}, nil, nil
	case "fault":
		if _, err := pickVariables(img, []string{text}); err != nil { // no variable of that name
			return device.Trigger{Kind: "end"}, nil, nil
		}
	}
	if compound().MatchString(text) {
		return device.Trigger{}, nil, &failure{Code: exitUsage, Message: fmt.Sprintf("--when %s: an event is one comparison of one variable", text),
			Hint: "have the program compute the condition as a bool, and name that; " + conditionHint}
	}
	name, op, bound, kind := text, "", "", ""
	if m := edge().FindStringSubmatch(text); m != nil {
		kind, name = m[1], strings.TrimSpace(m[2])
	}
	if m := comparison().FindStringSubmatch(name); m != nil {
		name, op, bound = m[1], m[2], m[3]
	}
	refuse := func(format string, args ...any) (device.Trigger, *image.Symbol, error) {
		return device.Trigger{}, nil, &failure{Code: exitUsage, Message: fmt.Sprintf("--when %s: ", text) + fmt.Sprintf(format, args...), Hint: conditionHint}
	}
	if name == "" {
		return refuse("no variable is named")
	}
	list, err := pickVariables(img, []string{name})
	if err != nil {
		return device.Trigger{}, nil, err
	}
	s := list[0]
	switch {
	case len(s.Shape) > 0:
		return refuse("%s is an array: name one of its elements, such as %s%s", s.Name, s.Name, columns.Index(s.Shape, 0))
	case s.DType == graph.F64:
		return refuse("%s is a double, which no trigger compares", s.Name)
	case op == "==" || op == "!=" || op == "=":
		return refuse("nothing is compared with %s", op)
	case op == "" && kind == "" && s.DType != graph.Bool:
		return refuse("a condition on %s needs a bound, such as %s>1", s.Name, s.Name)
	}
	if op == "" {
		op, bound = ">", "0"
		if kind == "falling" {
			op = "<"
			if s.DType == graph.Bool {
				bound = "1"
			}
		}
	}
	side := "above"
	if op[0] == '<' {
		side = "below"
	}
	switch {
	case kind == "":
		kind = side
	case edgeKinds[kind] != side:
		return refuse("%s means that the variable becomes %s than a bound", kind, map[string]string{"above": "greater", "below": "less"}[edgeKinds[kind]])
	}
	t := device.Trigger{Kind: kind, Offset: s.Offset, Float: s.DType == graph.F32}
	if t.Threshold, err = threshold(s, op, bound); err != nil {
		return device.Trigger{}, nil, err
	}
	return t, s, nil
}

// threshold is the bits of a bound that a variable is to be beyond: with >= and <= of the next
// number before it, and for whole numbers of the last one that is not beyond.
func threshold(s *image.Symbol, op, text string) (uint32, error) {
	bare, err := dropUnit(s, text)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(bare, 64)
	if s.DType == graph.Bool && err != nil {
		var word uint64
		word, err = encodeElement(graph.Bool, bare)
		x = float64(word)
	}
	if err != nil || math.IsNaN(x) {
		return 0, &failure{Code: exitUsage, Message: fmt.Sprintf("--when: %q is not a number to compare %s with", text, s.Name), Hint: conditionHint}
	}
	if s.DType == graph.F32 {
		f := float32(x)
		switch op {
		case ">=":
			f = math.Nextafter32(f, float32(math.Inf(-1)))
		case "<=":
			f = math.Nextafter32(f, float32(math.Inf(1)))
		}
		return math.Float32bits(f), nil
	}
	switch op {
	case ">":
		x = math.Floor(x)
	case ">=":
		x = math.Ceil(x) - 1
	case "<":
		x = math.Ceil(x)
	case "<=":
		x = math.Floor(x) + 1
	}
	if x < math.MinInt32 || x > math.MaxInt32 {
		return 0, &failure{Code: exitUsage, Message: fmt.Sprintf("--when: %s is a 32-bit int, and %s is always or never %s it", s.Name, text, op), Hint: conditionHint}
	}
	return uint32(int32(x)), nil
}
