package script_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestCaretOfTwoCalls: of several calls on a line the report points at the one that
// failed. ^ stands before where the caret belongs.
func TestCaretOfTwoCalls(t *testing.T) {
	const head = "import copapy as cp\nx = cp.value(1.0)\nd = cp.value(1.0, dtype=cp.f64)\ntg = cp.Target()\ntg.compile(x)\ndef f(*a): return a[0]\n"
	for _, line := range []string{
		"y = abs(1) + ^abs()",
		"tg.run(); tg.^run(0)",
		"y = cp.sqrt(2.0) + cp.^sqrt('x')",
		"y = f(x + x) + f(x ^+ d)",
		"y = f(int('1')), f(^int('a'))",
		"tg.read_value(x); tg.^read_value('x')",
		"y = cp.vector([1, 2]).sum() + cp.vector([1, 2]).^foo()",
		"tg.write_value(x, 1.0); tg.^write_value(x, 'a'); tg.run()",
		"y = cp.atan2(1.0, x) + cp.^atan2(x)",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := runText(t, head+strings.Replace(line, "^", "", 1))
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, strings.Index(line, "^")+1, e.Column)
		})
	}
}
