package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Axis is one parameter and the values that it takes.
type Axis struct {
	Name string // as it was given: kp, gains[2]
	text string // what stands behind the =

	values       []float64 // a list; nil: a range or a distribution
	first, last  float64   // of a range
	count        int       // points of a list or range; 0: a distribution
	distribution *distribution
}

const axisForms = "values are START:STOP:COUNT, as kp=0:5:100, a list, as ki=0,0.1,0.5, or with --random also kp=uniform(0,5) and kp=normal(1,0.2)"

// parseAxis reads NAME=VALUES.
func parseAxis(text string) (Axis, error) {
	// The name may have a =, as parts["a=b"]; values have none.
	at := strings.LastIndexByte(text, '=')
	if at <= 0 {
		return Axis{}, &Error{fmt.Sprintf("--set %s: this is not NAME=VALUES", text), axisForms}
	}
	a := Axis{Name: strings.TrimSpace(text[:at]), text: strings.TrimSpace(text[at+1:])}
	var err error
	switch {
	case strings.HasSuffix(a.text, ")"):
		a.distribution, err = parseDistribution(a.text)
	case strings.Contains(a.text, ":"):
		err = a.parseRange()
	default:
		err = a.parseList()
	}
	if err == nil && a.Name == "" {
		err = fmt.Errorf("the name is missing")
	}
	if err != nil {
		return a, &Error{fmt.Sprintf("--set %s: %v", text, err), axisForms}
	}
	return a, nil
}

// maxList bounds the values of a list.
const maxList = 100_000

func (a *Axis) parseList() error {
	words := strings.Split(a.text, ",")
	if len(words) > maxList {
		return fmt.Errorf("%d values, more than the %d that a list may have", len(words), maxList)
	}
	for _, w := range words {
		v, err := parseNumber(w)
		if err != nil {
			return err
		}
		a.values = append(a.values, v)
	}
	a.count = len(a.values)
	return nil
}

func (a *Axis) parseRange() error {
	words := strings.Split(a.text, ":")
	if len(words) != 3 {
		return fmt.Errorf("a range has three parts, START:STOP:COUNT")
	}
	var err error
	if a.first, err = parseFinite(words[0]); err != nil {
		return err
	}
	if a.last, err = parseFinite(words[1]); err != nil {
		return err
	}
	if a.count, err = strconv.Atoi(strings.TrimSpace(words[2])); err != nil || a.count < 1 || a.count > MaxRuns {
		return fmt.Errorf("%q is not a number of points from 1 to %d", words[2], MaxRuns)
	}
	if a.count == 1 && a.first != a.last {
		return fmt.Errorf("one point cannot be both ends of a range")
	}
	if math.IsInf(a.last-a.first, 0) {
		return fmt.Errorf("the ends are too far apart for float64")
	}
	return nil
}

func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	case "":
		return 0, fmt.Errorf("a value is missing")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}

func parseFinite(text string) (float64, error) {
	v, err := parseNumber(text)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("%q is not finite", text)
	}
	return v, err
}

// at is the k-th point. Those of a range divide it into equal parts, both ends included. Each
// product is rounded before it is added, so that all machines agree.
func (a *Axis) at(k int) float64 {
	switch {
	case a.values != nil:
		return a.values[k]
	case k == a.count-1:
		return a.last
	}
	return a.first + float64(float64(k)*(a.last-a.first))/float64(a.count-1)
}
