package vm_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

func printed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := newThread(&out, vm.Limits{}).Run("prog.py", []byte(text))
	require.NoError(t, err)
	return out.String()
}

// TestCallsWithinCalls: functions in Go that call back have their own arguments still, however
// deep, and after errors; those that go on later keep what they need.
func TestCallsWithinCalls(t *testing.T) {
	require.Equal(t, "326 [6, 5, 4, 3, 2, 1, 0] 0\n[1, 3] [3, 2, 1] [1, 2] True\n", printed(t, `
def depth(n):
    if n == 0:
        return 0
    return sum(sorted([n], key=lambda x: depth(n - 1)), start=depth(n - 1) if n < 3 else 0) + max([0], key=lambda x: depth(n - 2) if n > 1 and n < 6 else 0)
def chain(n):
    return getattr(object(), "x", n) if n > 300 else divmod(chain(n + 1), 1)[0] + 1 - abs(round(1.0, ndigits=0))
def order(n):
    return [] if n < 0 else sorted([n] + order(n - 1), key=lambda x: -x - 0 * len(order(n - 2)))
def fails(n):
    try:
        return sorted([n], key=lambda x: 1 // 0)
    except ZeroDivisionError:
        return sum([], start=n)
print(int(sum(depth(k) for k in range(26))), order(6), fails(0))
kept = [filter(lambda x: x % 2, [1, 2, 3]), reversed((1, 2, 3)), iter([3, 2, 1].pop, 3)]
for i in range(10):
    min(i, 3), len([i]), "a b".split(" ", i)
print(*[list(k) for k in kept], chain(0) == 301.0)
`))
}

// TestBuiltinNamesChange: a name that was found among the builtins is found in the module as
// soon as it is there, and not any longer than that.
func TestBuiltinNamesChange(t *testing.T) {
	require.Equal(t, "2 [1, 2]\n7 [1, 2]\n2 [1, 2]\n8 [1, 2]\n2\n", printed(t, `
def size(x):
    return len(x)
print(size([1, 2]), sorted([2, 1]))
len = lambda x: 7
print(size([1, 2]), sorted([2, 1]))
del len
print(size([1, 2]), sorted([2, 1]))

def change():
    global len
    len = lambda x: 8
change()
print(size([1, 2]), sorted([2, 1]))
del len
print(size([1, 2]))
`))
}
