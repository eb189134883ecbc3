package chips

import (
	"fmt"
	"go/constant"
	"go/token"
	"regexp"
	"strings"
	"sync"
)

// quantity is a number with a prefix and a unit: 20kHz, 1.5 MHz, 300.
var quantity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([kM]?)([A-Za-z]*)$`)
})

// real is a number of an option that has no limits.
var real = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]{1,2})?$`)
})

var prefixes = map[string]int64{"": 1, "k": 1000, "M": 1000000}

// value reads the text of an option; an error names the nearest that is possible.
func (o Option) value(s *scope, text string) (constant.Value, error) {
	if o.Values != nil {
		number, ok := o.Values[text]
		if !ok {
			return nil, fmt.Errorf("%q: want one of %s", text, strings.Join(names(o.Values), ", "))
		}
		return s.eval(number)
	}
	if o.Real && o.Low == "" && o.High == "" {
		if !real().MatchString(text) {
			return nil, fmt.Errorf("%q: want a number, such as -0.5", text)
		}
		return s.eval(text)
	}
	m := quantity().FindStringSubmatch(text)
	if m == nil || m[3] != "" && m[3] != o.Unit {
		return nil, fmt.Errorf("%q: want a number of %s, such as %s", text, o.Unit, o.Default)
	}
	v := amount(text)
	if whole := constant.ToInt(v); whole.Kind() == constant.Int {
		v = whole
	} else if !o.Real {
		return nil, fmt.Errorf("%q: want a whole number of %s", text, o.Unit)
	}
	low, err := s.eval(o.Low)
	if err != nil {
		return nil, fmt.Errorf("low: %w", err)
	}
	high, err := s.eval(o.High)
	if err != nil {
		return nil, fmt.Errorf("high: %w", err)
	}
	nearest := v
	if constant.Compare(v, token.LSS, low) {
		nearest = low
	}
	if constant.Compare(v, token.GTR, high) {
		nearest = high
	}
	if nearest != v {
		return nil, fmt.Errorf("%s: want %v to %v %s; the nearest is %v", text, low, high, o.Unit, nearest)
	}
	return v, nil
}

// Less compares two quantities, such as "100 kHz" and "1 MHz".
func Less(a, b string) bool {
	return constant.Compare(amount(a), token.LSS, amount(b))
}

// amount is a quantity without its unit; 0 if it is not understood.
func amount(text string) constant.Value {
	m := quantity().FindStringSubmatch(text)
	if m == nil {
		return constant.MakeInt64(0)
	}
	return constant.BinaryOp(constant.MakeFromLiteral(m[1], kindOf(m[1]), 0), token.MUL, constant.MakeInt64(prefixes[m[2]]))
}

func kindOf(number string) token.Token {
	if strings.Contains(number, ".") {
		return token.FLOAT
	}
	return token.INT
}
