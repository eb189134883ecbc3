package opt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a condition says decides others beside it, and what a choice takes where it holds.
func TestGiven(t *testing.T) {
	const choice = `%7 = const.f32 {1}
%8 = gt.bool %0, %7
%9 = const.f32 {-1}
%10 = lt.bool %0, %9
%11 = const.i32 {0}
%12 = const.i32 {1}
%13 = select.i32 %10, %11, %2
%14 = select.i32 %8, %12, %13
`
	tests := []struct{ about, program, want string }{
		{"a level that rises", choice + "%15 = eq.bool %14, %12\n%16 = eq.bool %2, %11\n%17 = and.bool %15, %16",
			"const.f32 {1}; gt.bool x, c; const.i32 {0}; eq.bool i, e; and.bool d, f"},
		{"the same of conditions", "%7 = lt.bool %0, %1\n%8 = const.bool {1}\n%9 = select.bool %7, %8, %4\n%10 = not.bool %4\n%11 = and.bool %9, %10",
			"lt.bool x, y; not.bool p; and.bool c, d"},
		{"one that does not", choice + "%15 = eq.bool %14, %12\n%16 = eq.bool %3, %11\n%17 = and.bool %15, %16",
			"const.f32 {1}; gt.bool x, c; const.f32 {-1}; lt.bool x, e; const.i32 {0}; const.i32 {1}; select.i32 f, g, i; select.i32 d, h, i; " +
				"eq.bool h, j; eq.bool j, g; and.bool k, l"},
		{"a choice within one by the same", "%7 = lt.bool %2, %3\n%8 = select.i32 %7, %2, %3\n%9 = select.i32 %7, %8, %2", "i"},
		{"limits apart", "%7 = const.f32 {1}\n%8 = lt.bool %0, %7\n%9 = const.f32 {2}\n%10 = gt.bool %0, %9\n%11 = and.bool %8, %10", "const.bool {0}"},
		{"a limit beyond another", "%7 = const.i32 {1}\n%8 = lt.bool %2, %7\n%9 = const.i32 {2}\n%10 = lt.bool %2, %9\n%11 = or.bool %8, %10",
			"const.i32 {2}; lt.bool i, c"},
		{"not less may be a NaN", "%7 = const.f32 {1}\n%8 = lt.bool %0, %7\n%9 = ge.bool %0, %7\n%10 = or.bool %8, %9",
			"const.f32 {1}; lt.bool x, c; ge.bool x, c; or.bool d, e"},
	}
	for _, c := range tests {
		require.Equal(t, c.want, simplify(t, c.program, false), c.about)
	}
}
