package script_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
)

// TestAncestorKeywords calls every function of the Python ancestor by its keywords:
// they mean what they mean there, or are refused. None is taken for another one.
func TestAncestorKeywords(t *testing.T) {
	checkPrograms(t, show+"a, b = cp.value(3.0), cp.value(-2.0)\nv, w = cp.vector([1.0, 2.0, 3.0]), cp.vector([2.0, 0.0, 1.0])\n", []scriptCase{
		{"one number", "print([round(f(x=0.5), 3) for f in [cp.abs, cp.sqrt, cp.exp, cp.log, cp.sin, cp.cos, cp.tan, cp.asin, cp.acos, cp.atan, cp.tanh, cp.sign, cp.relu, cp.sigmoid]])",
			"[0.5, 0.707, 1.649, -0.693, 0.479, 0.878, 0.546, 0.524, 1.047, 0.464, 0.462, 1.0, 0.5, 0.622]\n"},
		{"two numbers", "print(cp.pow(x=2, y=3), cp.pow(y=2, x=3), cp.minimum(x=1, y=2), cp.minimum(y=1, x=2), cp.maximum(x=1, y=2))\nrun(cp.minimum(x=a, y=b), cp.maximum(y=a, x=b), cp.pow(y=2, x=a))", "8 9 1 1 2\n-2.0\n3.0\n9.0\n"},
		{"atan2 of the second", "print(cp.atan2(1.0, y=2.0) == cp.atan2(1.0, 2.0), cp.atan2(1.0, x=2.0) == cp.atan2(1.0, 2.0))\nrun(cp.atan2(a, y=b) - cp.atan2(a, b))", "True True\n0.0\n"},
		{"clamp and iif", "print(cp.clamp(x=5, min_value=0, max_value=3), cp.clamp(max_value=3, x=-1, min_value=0), cp.iif(expression=False, false_result=1, true_result=2), cp.lerp(v1=2.0, v2=4.0, t=0.5))\nrun(cp.iif(expression=a > 0, true_result=a, false_result=b))", "3 0 1 3.0\n3.0\n"},
		{"grad by the second", "print(type(cp.grad(a * a, y=a)).__name__)\nrun(cp.grad(a * a, y=a), cp.grad(a * b, x=[a, b]))", "value\n6.0\n[-2.0, 3.0]\n"},
		{"extremes of an array", "print(cp.min(x=v), cp.max(x=v))\nrun(cp.min(x=cp.vector([a, b])), cp.max(x=cp.vector([a, b])))", "1.0 3.0\n-2.0\n3.0\n"},
		{"filters", "print(cp.filters.mean(input_vector=v), cp.filters.median(input_vector=v), cp.filters.argsort(input_vector=w), cp.sort(input_vector=w), cp.mean(x=v))", "2.0 2.0 [1, 2, 0] [0.0, 1.0, 2.0] 2.0\n"},
		{"geometry", "print(cp.distance(v1=v, v2=v), round(cp.scalar_projection(v2=w, v1=v), 3), cp.dot_product(v1=v, v2=w), cp.cross_product(v1=v, v2=w), round(cp.angle_between(v2=v, v1=w), 3), cp.vector_projection(v1=v, v2=cp.vector([1.0, 0.0, 0.0])))",
			"0.0 2.236 5.0 [2.0, 5.0, -4.0] 0.93 [1.0, 0.0, 0.0]\n"},
		{"rotation", "print(cp.rotate_vector(angle=0.0, v=v, axis=w), cp.quaternion(z=1.0, w=0.0), cp.quaternion.from_euler(yaw=0.0, roll=0.0, pitch=0.0).rotate_vector(vec=v))", "[1.0, 2.0, 3.0] quaternion(w=0.0, x=0.0, y=0.0, z=1.0) [1.0, 2.0, 3.0]\n"},
		{"arrays", "print(cp.zeros(shape=2), cp.ones(shape=(1, 2)), cp.eye(rows=1, cols=2), cp.identity(size=1), cp.arange(start=1, stop=4, step=2), cp.concat(tensors=[v, w], axis=0), cp.flatten(t=cp.eye(2)), cp.diagonal(vec=cp.vector([1, 2])), cp.tensor(values=[1, 2], shape=(2, 1)))",
			"[0.0, 0.0] [[1.0, 1.0]] [[1.0, 0.0]] [[1.0]] [1, 3] [1.0, 2.0, 3.0, 2.0, 0.0, 1.0] [1.0, 0.0, 0.0, 1.0] [[1, 0], [0, 2]] [[1], [2]]\n"},
		{"array methods", "m = cp.eye(2)\nprint(m.sum(axis=0, keepdims=True), m.mean(axis=1), m.map(func=lambda e: e + 1), m.matmul(other=m), v.dot(other=w), v.cross(other=w))", "[[1.0, 1.0]] [0.5, 0.5] [[2.0, 1.0], [1.0, 2.0]] [[1.0, 0.0], [0.0, 1.0]] 5.0 [2.0, 5.0, -4.0]\n"},
		{"linear algebra", "print(cp.solve(a=cp.eye(2), b=cp.vector([1.0, 2.0]), pivot=False), cp.interp(x=1.5, xp=[1.0, 2.0], fp=[0.0, 10.0]), cp.filters.convolve(a=[1.0, 2.0], v=[1.0, 1.0], mode='full'))", "[1.0, 2.0] 5.0 [1.0, 3.0, 2.0]\n"},
		{"values and targets", "x = cp.value(source=2, dtype='float')\ntg = cp.Target(arch='native', optimization='O3')\ntg.compile(x * 2)\ntg.write_value(data=5, variables=x)\ntg.run()\nprint(tg.read_value(variables=x * 2), cp.jit(func=lambda x: x + 1)(2))", "10.0 3\n"},
	})
	checkMistakes(t, []mistake{
		{"atan2", "cp.atan2(x=1.0, y=2.0)", "TypeError", "first argument by position", "write atan2(y, x)", 2},
		{"atan2 the other way", "cp.atan2(y=1.0, x=2.0)", "TypeError", "swapped compared with", "write atan2(y, x)", 2},
		{"grad", "x = cp.value(1.0)\ncp.grad(x=x * x, y=x)", "TypeError", "first argument by position", "write grad(y, x)", 3},
		{"a keyword that is not there", "cp.tensor([1], packed=True)", "TypeError", "unexpected keyword argument 'packed'", "", 2},
		{"a method of interpolation", "cp.interp(1.0, [0.0, 1.0], [0.0, 1.0], method='nearest')", "TypeError", "unexpected keyword argument 'method'", "", 2},
		{"both twice", "cp.minimum(1, 2, y=3)", "TypeError", "minimum()", "", 2},
	})
}

// TestAncestorNames: what programs of the ancestor use beside the functions.
func TestAncestorNames(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"NumLike", "from copapy import NumLike, value, vector\ndef f(x: NumLike) -> NumLike:\n    return x * 2\nprint(f(2), isinstance(1, NumLike), isinstance(cp.value(1), NumLike), isinstance('', NumLike))", "4 True True False\n"},
		{"version", "print(type(cp.__version__).__name__, len(cp.__version__) > 0)", "str True\n"},
		{"types by name", "print([cp.value(*a).dtype for a in [(2, 'float'), (2.7, 'int'), (1, 'bool'), (1.0, None), (True, 'int')]])\nrun(cp.value(2, 'float'), cp.value(2.7, 'int'), cp.value(3, 'bool'))", "['float', 'int', 'bool', 'float', 'int']\n2.0\n2\nTrue\n"},
		{"types of others", "a, n = cp.value(1.5), cp.value(1)\nv = cp.vector([a, a])\nprint(cp.value(0, a.dtype).dtype, cp.value(0, n.dtype).dtype, cp.value(0, v.dtype).dtype, cp.value(0, (n > 0).dtype).dtype, cp.state(0, n.dtype).dtype)", "float int float bool int\n"},
		{"casts", "a, n, b = cp.value(-2.7), cp.value(3), cp.value(True)\nrun(cp.to_int(a), cp.to_float(n), cp.to_bool(n), cp.to_int(b), cp.cast(a, 'int'), cp.cast(a, bool), cp.to_int(cp.vector([a, 1.5])))\nprint(cp.to_int(2.9), cp.to_float(2), cp.to_bool(0), cp.cast(1, 'float'), cp.to_int([1.5, -1.5]))", "-2\n3.0\nTrue\n1\n-2\nTrue\n[-2, 1]\n2 2.0 False 1.0 [1, -1]\n"},
		{"elements", "m = cp.matrix([[1, 2], [3, 4]])\nprint(m.get_scalar(1, 0), cp.vector([5, 6]).get_scalar(1), m.size, m.size(), cp.zeros((2, 3, 4)).size(), range(m.size)[-1])\nrun(cp.value([[1.0, 2.0], [3.0, 4.0]]).get_scalar(0, 1))", "3 6 4 4 24 3\n2.0\n"},
		{"homogenize", "v = cp.vector([1.0, 2.0])\nprint(v.homogenize(), cp.eye(1).homogenize())\nrun(cp.vector([cp.value(1.0), 2]).homogenize(), list(cp.quaternion(cp.value(1.0), 2).homogenize()))", "[1.0, 2.0] [[1.0]]\n[1.0, 2.0]\n[1.0, 2.0, 0.0, 0.0]\n"},
		{"quaternions", "q = cp.quaternion()\nprint(q.shape, q.homogenize(), cp.quaternion(0.0, 0.0, 0.0, 0.0).normalize())\nz = cp.value(0.0)\nrun(cp.quaternion(z, z, z, z).normalize(), cp.quaternion(z, z, z + 2.0, z).normalize())", "(4,) quaternion(w=1.0, x=0.0, y=0.0, z=0.0) quaternion(w=1.0, x=0.0, y=0.0, z=0.0)\nquaternion(w=1.0, x=0.0, y=0.0, z=0.0)\nquaternion(w=0.0, x=0.0, y=1.0, z=0.0)\n"},
		{"keys", "a, b = cp.value(1.0), cp.value(1.0)\nv = cp.vector([a, b])\nd = {a: 'a', b: 'b', v[0]: 'v0'}\nprint(d[a], d[b], d[v[0]], a in d, a + 1 in d, len({a, b, a}), b in {a}, hash(a) == hash(a), {(a, 1): 2}[a, 1])\nd[a + b] = 's'\nprint(d[a + b], len(d))", "a b v0 True False 2 False True 2\ns 4\n"},
		{"generators", "x = cp.value(2.0)\nvs = [x * i for i in range(3)]\ntg = cp.Target()\ntg.compile((v for v in vs), {x + 7})\ntg.run()\nprint(tg.read_value(v for v in vs), tg.read_value(map(lambda v: v, vs)), tg.read_value([(v for v in vs[:1]), x + 7]), tg.read_value(range(2)))\ntg.write_value((v for v in [x]), [3.0])\ntg.run()\nprint(tg.read_value(vs))", "[0.0, 2.0, 4.0] [0.0, 2.0, 4.0] [[0.0], 9.0] [0, 1]\n[0.0, 3.0, 6.0]\n"},
		{"derivatives by constants", "a = cp.value(3.0)\nv = cp.vector([a, 0.5])\nrun(cp.grad((v * v).sum(), v), cp.jacobian(v * 2, v), cp.grad((v * v).sum(), [a])[0])\nm = cp.matrix([[a, 1.0], [2.0, a * 2]])\nrun(cp.grad((m * m).sum(), m), cp.grad((cp.concat([v, [1.0]]) ** 2).sum(), v))", "[6.0, 0.0]\n[[2.0, 0.0], [0.0, 0.0]]\n6.0\n[[6.0, 0.0], [0.0, 12.0]]\n[6.0, 0.0]\n"},
		{"infinite beside constants", "a = cp.value(0.0)\nv = cp.vector([a, 0.0])\nrun(cp.grad(cp.sqrt(v).sum(), v))", "[inf, 0.0]\n"},
	})
	checkMistakes(t, []mistake{
		{"too few indices", "cp.eye(2).get_scalar(1)", "IndexError", "1 indices for 2 axes", "", 2},
		{"beyond the end", "cp.eye(2).get_scalar(1, 2)", "IndexError", "index 2 is out of range for axis 1", "", 2},
		{"another type", "cp.cast(1, 'double')", "TypeError", "dtype must be", "without quotes", 2},
		{"arrays are no keys", "{cp.zeros(2): 1}", "TypeError", "unhashable type: 'vector'", "", 2},
	})
}

// TestTensorsWithoutAxes: cp.tensor of a number has a shape and methods, and is a number
// for everything else.
func TestTensorsWithoutAxes(t *testing.T) {
	checkPrograms(t, show+"p = cp.tensor(2.5)\nx = cp.value(2.0)\n", []scriptCase{
		{"attributes", "print(p.shape, p.ndim, p.size, p.size(), p.values, p.dtype, p.T, repr(p), type(p).__name__, isinstance(p, cp.tensor), cp.tensor(x).shape, x.ndim)", "() 0 1 1 (2.5,) float 2.5 tensor(2.5) tensor True () 0\n"},
		{"methods", "print(p.get_scalar(), p.item(), p.tolist(), p.homogenize(), p.copy(), p.sum(), p.mean(), p.max(), p.flatten(), p.reshape((1, 1)), p.transpose(), p.map(lambda e: e + 1), p.astype(int))", "2.5 2.5 2.5 2.5 2.5 2.5 2.5 2.5 [2.5] [[2.5]] 2.5 3.5 2\n"},
		{"arithmetic", "print(p + 1, 1 - p, p * p, -p, abs(p), p ** 2, p > 2, p == 2.5, bool(p), float(p), int(p), p * cp.vector([1, 2]), cp.vector([1, 2]) + p, cp.vector([1, 2]) < p, 5.0 if p else 1.0)", "3.5 -1.5 6.25 -2.5 2.5 6.25 True True True 2.5 2 [2.5, 5.0] [3.5, 4.5] [True, True] 5.0\n"},
		{"functions", "print(cp.sqrt(cp.tensor(4.0)), cp.maximum(p, 1), cp.clamp(p, 0, cp.tensor(2)), cp.vector([p, 1]), cp.tensor([[p, p]]), cp.atan2(p, x=p) == cp.atan2(1.0, 1.0), cp.jit(lambda a: a * 2)(p), cp.tensor(p), cp.tensor(3, (1, 1)))", "2.0 2.5 2.0 [2.5, 1.0] [[2.5, 2.5]] True 5.0 2.5 [[3]]\n"},
		{"beside traced values", "v = cp.value(cp.tensor(1.5))\ns = cp.state(cp.tensor(0.0))\ns.next = s + p\nrun(x * p, p - x, x < p, cp.vector([x, p]), cp.vector([x, x]) * p, v, cp.iif(x > 0, p, 0.0))\ntg = cp.Target()\ntg.compile(s, v, [p])\ntg.write_value(v, p)\ntg.run()\nprint(tg.read_value(s), tg.read_value(v), tg.read_value(p))", "5.0\n0.5\nTrue\n[2.0, 2.5]\n[5.0, 5.0]\n1.5\n2.5\n2.5 2.5 2.5\n"},
	})
	checkMistakes(t, []mistake{
		{"a length", "len(cp.tensor(1))", "TypeError", "len() of a tensor without axes", "x.item()", 2},
		{"an index", "cp.tensor(1)[0]", "TypeError", "cannot index a tensor without axes", "", 2},
		{"a loop", "for e in cp.tensor(1): pass", "TypeError", "cannot iterate over a tensor without axes", "", 2},
		{"a product", "cp.tensor(1) @ cp.vector([1])", "TypeError", "", "", 2},
	})
}

// TestFractionsForInts: a fraction that is written to an int is cut off, and told of.
func TestFractionsForInts(t *testing.T) {
	var out bytes.Buffer
	var warnings []string
	err := script.Run(t.Context(), writeScript(t, `import copapy as cp
n, k = cp.value(1), cp.value([1, 2])
tg = cp.Target()
tg.compile(n + 0, k)
tg.write_value(n, 5.7)
tg.write_value(k, [-2.5, 3.0])
tg.run()
print(tg.read_value(n), tg.read_value(k))
`), script.Options{
		Stdout: &out, Warn: func(text string) { warnings = append(warnings, text) },
		Open: func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	})
	require.NoError(t, err)
	assert.Equal(t, "5 [-2, 3]\n", out.String())
	assert.Equal(t, []string{"write_value: the variable is an int: 5.7 is cut off to 5", "write_value: the variable is an int: -2.5 is cut off to -2"}, warnings)
}
