package compiler_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
)

// scriptOps are expressions of each type by element. {=} is an operand of the same type and
// shape, {~} one that broadcasts to it, {0} a scalar; a letter in front is another type.
var scriptOps = map[byte][]string{
	'f': append([]string{"({i=} / {i~})", "({i=} * {~})", "({=} - {b~})", "cp.mean({i+})"}, scriptFloatOps...),
	'd': append([]string{"cp.f64({f=})", "cp.f64({i=})", "({=} % {i~})"}, scriptFloatOps...),
	'i': {"({=} + {~})", "({~} - {=})", "({=} * {~})", "({=} // {~})", "({~} // {=})", "({=} % {~})", "({=} & {~})", "({=} | {~})", "({=} ^ {~})", "({=} << {~})",
		"({=} >> {~})", "cp.minimum({=}, {~})", "(-{=})", "(~{=})", "abs({=})", "cp.sign({=})", "cp.clamp({=}, {~}, {~})", "({=} ** 3)", "({b=} + {b~})",
		"cp.argmax({f+})", "cp.argmin({i+})", "cp.count_nonzero({b+})", "cp.sum({+})", "cp.prod({+})", "cp.min({+})"},
	'b': {"({f=} < {f~})", "({i=} >= {i~})", "({i=} == {i~})", "({f=} != {f~})", "({=} & {~})", "({=} | {~})", "({=} ^ {~})", "(~{=})", "cp.isnan({f=})", "(-1 < {i=} < 3)",
		"cp.logical_xor({i=}, {f~})", "cp.isclose({f=}, {f~})", "cp.any({+})", "cp.all({i+})"},
}

var scriptFloatOps = []string{"({=} + {~})", "({~} - {=})", "({=} * {~})", "({=} / {~})", "({~} / {=})", "({=} // {~})", "({=} % {~})", "cp.fmod({=}, {~})", "cp.max({=}, {~})",
	"cp.atan2({=}, {~})", "cp.hypot({=}, {~})", "cp.pow({=}, {~})", "({=} ** -2)", "({=} ** 7)", "({=} ** 0.5)", "(-{=})", "abs({=})", "cp.sign({=})", "cp.floor({=})", "cp.round({=})",
	"cp.relu({=})", "cp.sqrt({=})", "cp.exp({=})", "cp.log({=})", "cp.sin({=})", "cp.cos({=})", "cp.tan({=})", "cp.acos({=})", "cp.tanh({=})", "cp.sigmoid({=})", "cp.cbrt({=})",
	"cp.clamp({=}, {~}, {~})", "cp.heaviside({=}, {~})", "cp.interp({=}, [-1.5, 0.0, 2.0], [{0}, {0}, {0}])", "cp.sum({+})", "cp.prod({+})", "cp.mean({+})", "cp.std({+})", "cp.norm({+})", "cp.amax({+})", "cp.median({+})"}

// scriptChoices suit every type and shape.
var scriptChoices = []string{"({=} if {b0} else {=})", "cp.where({b~}, {=}, {~})"}

var placeholder = regexp.MustCompile(`\{([fdib]?)([=~0+])\}`)

// expr is an expression of a kind, with at most depth operations inside each other.
func (m *scriptMaker) expr(k kind, depth int) string {
	if depth <= 0 || m.chance(10) {
		return m.leaf(k)
	}
	list := scriptOps[k.t]
	switch n := m.rng.IntN(10); {
	case n < 3:
		if text, ok := m.moved(k, depth-1); ok {
			return text
		}
	case n == 3:
		list = scriptChoices
	}
	return m.fill(list[m.rng.IntN(len(list))], k, depth-1)
}

// fill puts operands into an expression.
func (m *scriptMaker) fill(form string, k kind, depth int) string {
	return placeholder.ReplaceAllStringFunc(form, func(p string) string {
		of := k
		if len(p) == 4 {
			of.t = p[1]
		}
		switch p[len(p)-2] {
		case '0':
			of.s = nil
		case '+': // with an axis more, along which it is reduced
			axis := m.rng.IntN(len(k.s) + 1)
			of.s = slices.Insert(slices.Clone(k.s), axis, 1+m.rng.IntN(12))
			if !m.small(of.s) {
				return m.leaf(kind{of.t, slices.Insert(slices.Clone(k.s), axis, 1)}) + fmt.Sprintf(", axis=%d", axis)
			}
			return m.expr(of, depth) + fmt.Sprintf(", axis=%d", axis)
		case '~':
			if m.chance(15) && form[0] == '(' {
				return "(" + m.literal(of.t) + ")"
			}
			if m.chance(50) {
				of.s = slices.Clone(k.s[m.rng.IntN(len(k.s)+1):])
				for i := range of.s {
					if m.chance(30) {
						of.s[i] = 1
					}
				}
			}
		}
		return m.expr(of, depth)
	})
}

// moved is made of elements of other arrays, a product, or a loop.
func (m *scriptMaker) moved(k kind, depth int) (string, bool) {
	axis, n := m.rng.IntN(len(k.s)+1), 1+m.rng.IntN(4)
	longer := slices.Insert(slices.Clone(k.s), axis, n)
	along := strings.Repeat(":, ", axis)
	switch choice := m.rng.IntN(12); {
	case choice == 0 && m.loops < 2:
		i, c := scriptVar{m.name('i'), kind{'i', nil}}, scriptVar{m.name('c'), k}
		start, body := m.expr(k, depth-1), ""
		m.inside([]scriptVar{i, c}, func() { body = m.expr(k, depth) })
		return fmt.Sprintf("cp.fori(%d, lambda %s, %s: %s, %s)", m.rng.IntN(6), i.name, c.name, body, start), true
	case choice == 1 && m.small(longer):
		return fmt.Sprintf("%s[%s%d]", m.expr(kind{k.t, longer}, depth), along, m.rng.IntN(2*n)-n), true
	case choice == 2 && k.t != 'b' && len(k.s) < 2:
		a, b := []int{9 + n}, append([]int{9 + n}, k.s...)
		return fmt.Sprintf("(%s @ %s)", m.expr(kind{k.t, a}, depth), m.expr(kind{k.t, b}, depth)), m.small(b)
	case choice == 3 && k.t != 'b':
		return fmt.Sprintf("sum(%s * k for k in range(1, %d))", m.expr(k, depth), 1+n), true
	case axis == len(k.s) || k.s[axis] > 20:
		return "", false
	}
	other := func(n int) kind { s := slices.Clone(k.s); s[axis] = n; return kind{k.t, s} }
	length := k.s[axis]
	switch m.rng.IntN(8) {
	case 0:
		step := 1 + m.rng.IntN(3)
		return fmt.Sprintf("%s[%s1::%d]", m.expr(other(2+(length-1)*step), depth), along, step), true
	case 1:
		return fmt.Sprintf("%s[%s::-2]", m.expr(other(2*length-1), depth), along), true
	case 2:
		s := slices.Clone(k.s)
		slices.Reverse(s)
		return m.expr(kind{k.t, s}, depth) + ".T", true
	case 3:
		return fmt.Sprintf("cp.concat([%s, %s], axis=%d)", m.expr(other(1), depth), m.expr(other(max(length-1, 0)), depth), axis), length > 1
	case 4:
		return fmt.Sprintf("%s.reshape(%v)", m.expr(kind{k.t, []int{graph.Shape(k.s).Elements()}}, depth), graph.Shape(k.s)), true
	case 5:
		return fmt.Sprintf("cp.roll(%s, %d, axis=%d)", m.expr(k, depth), n-2, axis), true
	case 6:
		return fmt.Sprintf("cp.sort(%s, axis=%d)", m.expr(k, depth), axis), length < 9
	}
	if m.chance(50) {
		return fmt.Sprintf("cp.broadcast_to(%s, %v)", m.expr(other(1), depth), graph.Shape(k.s)), true
	}
	return fmt.Sprintf("cp.cumsum(%s, axis=%d)", m.expr(k, depth), axis), k.t != 'b' && length < 9
}
