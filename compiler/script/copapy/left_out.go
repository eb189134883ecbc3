package copapy

import "strings"

// leftOut are names of NumPy that copapy has not, with what to write instead. Those of
// arrays begin with tensor., those of the module linalg with linalg. docs/from-numpy.md
// lists them.
var leftOut = []struct{ names, hint string }{
	{"fft", "there is no Fourier transform: multiply by a matrix, cp.cos(2 * cp.pi / n * cp.outer(k, i)) @ x"},
	{"random", "each run of a program gives the same: make numbers of a state, s = cp.state(1); s.next = s * 1664525 + 1013904223"},
	{"linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.svd linalg.svdvals linalg.pinv linalg.matrix_rank linalg.cond",
		"these repeat until the numbers are good enough, and time must not depend on numbers: compute them beforehand and write the result into the script"},
	{"linalg.lstsq", "NumPy's gives four results: cp.lstsq(a, b) gives the solution alone"},
	{"linalg.multi_dot", "write a @ b @ c"},
	{"linalg.slogdet", "write cp.det(a)"},
	{"polyfit", "write cp.lstsq(cp.stack([x ** i for i in range(n)], axis=1), y)"},
	{"polyadd polymul polyder polyint poly1d roots", "coefficients are vectors: add them, multiply them by cp.convolve(p, q), evaluate them by cp.polyval(p, x)"},
	{"correlate", "write cp.convolve(a, cp.flip(v), 'valid')"},
	{"gradient", "differences are cp.diff(y) / dx, derivatives of what is computed cp.grad(y, x)"},
	{"percentile quantile", "take one of the sorted elements: cp.sort(x)[i]"},
	{"cov corrcoef", "write d = x - x.mean(axis=1, keepdims=True), then d @ d.T / (n - 1)"},
	{"digitize", "write cp.searchsorted(bins, x, 'right')"},
	{"histogram bincount", "count by comparing: cp.count_nonzero(edges <= x)"},
	{"nonzero argwhere flatnonzero unique extract compress", "the length would depend on traced numbers: choose by element with cp.where(condition, a, b), count with cp.count_nonzero(x)"},
	{"delete insert resize", "an array keeps its length: join parts of it, cp.concat([x[:i], x[i + 1:]])"},
	{"put place putmask copyto", "assign to elements: x[[0, 2]] = a, x[mask] = a, x[:] = a"},
	{"tensor.sort", "write x[:] = cp.sort(x), or y = cp.sort(x)"},
	{"tensor.fill tensor.put", "assign to elements: x[:] = a, x[[0, 2]] = a"},
	{"tensor.resize tensor.partition", "an array keeps its length, and cp.sort(x) gives a sorted one"},
	{"tensor.argsort", "write cp.argsort(x)"},
	{"tensor.diagonal", "write cp.diagonal(x)"},
	{"tensor.nonzero", "the length would depend on traced numbers: choose by element with cp.where(condition, a, b), count with cp.count_nonzero(x)"},
	{"tensor.flat tensor.view", "write x.flatten() or x.reshape(shape)"},
	{"tensor.real tensor.imag tensor.conj real imag conj angle", "numbers are real: compute with the real and the imaginary part"},
	{"fmin fmax", "write cp.nanmin(cp.stack([a, b]), axis=0) or cp.nanmax(cp.stack([a, b]), axis=0)"},
	{"asinh", "write cp.arcsinh(x)"},
	{"acosh", "write cp.arccosh(x)"},
	{"atanh", "write cp.arctanh(x)"},
	{"sinc", "write cp.where(x == 0, 1.0, cp.sin(cp.pi * x) / (cp.pi * x))"},
	{"unwrap", "bring an angle between -pi and pi by cp.atan2(cp.sin(x), cp.cos(x))"},
	{"logaddexp", "write m + cp.log(cp.exp(a - m) + cp.exp(b - m)), with m = cp.maximum(a, b)"},
	{"tensordot", "write cp.einsum('ijk,kl->ijl', a, b)"},
	{"vectorize frompyfunc fromfunction", "write cp.map(f, x)"},
	{"apply_along_axis", "write cp.stack([f(row) for row in x])"},
	{"rot90", "write cp.flip(x.T, 0)"},
	{"row_stack", "write cp.vstack(rows)"},
	{"piecewise", "write cp.select([condition, other], [a, b], default)"},
	{"choose", "write cp.select([i == 0, i == 1], [a, b])"},
	{"ix_", "take rows, then columns: x[[0, 2]][:, [0, 1]]"},
	{"mgrid ogrid atleast_3d block", "shape arrays with x[:, None], reshape and cp.broadcast_to, join them with cp.concat"},
	{"ndenumerate ndindex nditer", "write for i, x in enumerate(v), or loops over range(n)"},
	{"asmatrix mat", "write cp.matrix(rows)"},
	{"ndarray", "arrays are of the classes cp.tensor, cp.vector and cp.matrix"},
	{"float32 single", "write cp.f32"},
	{"float64 double", "write cp.f64"},
	{"int32 int64 int16 int8 uint8 uint16 uint32 float16 complex64 complex128", "numbers are int, bool, cp.f32 and cp.f64; ints have 32 bits"},
	{"save savez loadtxt savetxt fromfile genfromtxt", "read arrays by cp.load('x.npy'), also from .npz, .csv and .json; a script writes none: print the numbers"},
	{"set_printoptions errstate seterr", "results are numbers of Python: format them, f'{x:.3f}'"},
}

var hints = func() map[string]string {
	out := map[string]string{}
	for _, l := range leftOut {
		for name := range strings.FieldsSeq(l.names) {
			out[name] = l.hint
		}
	}
	return out
}()

// absent tells what to write instead of a name behind prefix that is left out.
func absent(prefix string) func(name string) string {
	return func(name string) string { return hints[prefix+name] }
}
