package gcc

import (
	"fmt"

	"golang.org/x/sys/cpu"
)

// Bodies for Arrays.
const (
	// TenDots is sum((a + i) @ b for i in range(10)) as C has it by nature: one sum after the other.
	TenDots = `float sum = 0;
    for (int i = 0; i < 10; i++) {
        float dot = 0;
        for (int k = 0; k < N; k++) dot += (a[k] + (float)i) * b[k];
        sum += dot;
    }
    out[0] = sum;`
	// TenDotsOneSum adds all products to one sum.
	TenDotsOneSum = `float sum = 0;
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < N; k++) sum += (a[k] + (float)i) * b[k];
    out[0] = sum;`
	// TenDotsInLanes is the same with the sums in eight lanes, in the order of graph.LaneTree.
	TenDotsInLanes = "float sum = 0; for (int i = 0; i < 10; i++) DOT(a[k] + (float)i, b[k]); out[0] = sum;"
)

// The elements k of the arrays are 1 + StepA*k and 1 + StepB*k.
const (
	StepA = 0.01
	StepB = 0.03
)

// cDot is the dot product of two expressions in k, added to sum.
const cDot = `
#define DOT(x, y) do { \
        float lane[8] = {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f}; \
        int n = 0; \
        for (; n + 8 <= N; n += 8) \
            for (int j = 0; j < 8; j++) { int k = n + j; lane[j] += (x) * (y); } \
        for (int j = 0; n + j < N; j++) { int k = n + j; lane[j] += (x) * (y); } \
        for (int w = 4; w > 0; w /= 2) \
            for (int j = 0; j < w; j++) lane[j] += lane[j + w]; \
        sum += lane[0]; \
    } while (0)
`

// Arrays is C source of a function of two arrays a and b of N = n floats, with results from out[0] to
// out[results-1], for a Function whose Result is ArraysResult(n).
func Arrays(n int, results, body string) string {
	return fmt.Sprintf(cDot+`
enum { N = %d };
float baseline_data[2 * N + %s];
__attribute__((constructor)) static void fill(void) {
    for (int k = 0; k < N; k++) baseline_data[k] = 1 + %gf * (float)k, baseline_data[N + k] = 1 + %gf * (float)k;
}
void baseline(float *restrict data) {
    const float *restrict a = data, *restrict b = data + N;
    float *restrict out = data + 2 * N;
    %s
}
`, n, results, StepA, StepB, body)
}

// ArraysResult is the byte offset of the first result.
func ArraysResult(n int) int { return 4 * 2 * n }

// LaneFlags are those for TenDotsInLanes, so that GCC uses the vectors that programs use on this processor.
func LaneFlags() []string {
	if cpu.X86.HasAVX2 {
		return []string{"-ffp-contract=off", "-mavx2"}
	}
	return []string{"-ffp-contract=off"}
}
