package copapy

import (
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

const (
	knownWhileTracing = "this must be known while tracing: use a plain number; to pick by a traced value use cp.iif or cp.where"
	shapeAdvice       = "x.shape tells the shape; reshape, transpose or slice one of the two so that they fit"
	plainAdvice       = "give a plain number, such as 1.0"
)

// Advice is what to do about errors of traced values and arrays, for vm.Options.
var Advice = []vm.Advice{
	// A traced value decides nothing while tracing.
	{Kind: "TypeError", Message: array.NoTruth, Source: " and ", Hint: "combine conditions with &, as in (x > 0) & (x < 1), and choose with cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: " or ", Hint: "combine conditions with |, as in (x < 0) | (x > 1), and choose with cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "not ", Hint: "negate a condition with ~, or compare the other way round, and choose with cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "min(", Hint: "use cp.min(a, b); other choices are cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "max(", Hint: "use cp.max(a, b); other choices are cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: " any(", Hint: "use cp.any(x); to choose by it cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: " all(", Hint: "use cp.all(x); to choose by it cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "(any(", Hint: "use cp.any(x); to choose by it cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "(all(", Hint: "use cp.all(x); to choose by it cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "sort", Hint: "use cp.sort(cp.vector(list)); other choices are cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "while ", Hint: "repeat a fixed number of times, for i in range(n), and choose with cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Source: "assert ", Hint: "read it first and check the number: assert tg.read_value(x) > 0; on the target choose with cp.iif(condition, a, b)"},
	{Kind: "TypeError", Message: array.NoTruth, Hint: "use cp.iif(condition, a, b), or a conditional expression: a if condition else b"},

	// A traced value where Python needs a number that it knows.
	{Kind: "TypeError", Message: "'value' object cannot be interpreted as an integer", Source: "range(", Hint: "the number of iterations must be known while tracing: give the largest, and keep the old value in iterations that do not count, cp.iif(i < n, new, old)"},
	{Kind: "TypeError", Message: "'value' object cannot be interpreted as an integer", Hint: knownWhileTracing},
	{Kind: "TypeError", Message: "a shape is made of integers, not 'value'", Hint: "a shape must be known while tracing: use plain integers"},
	{Kind: "TypeError", Message: "a shape is made of integers", Hint: "give a plain int, or a tuple of them for several axes"},
	{Kind: "ValueError", Message: "the number of elements must be an integer", Hint: "give a plain int"},
	{Kind: "TypeError", Message: "compile() takes no keyword arguments", Hint: "give values by position, tg.compile(x, y): they are named as they are written"},
	{Kind: "AttributeError", Message: "'Target' object has no attribute", Hint: "a target has compile, run, read_value, write_value and reset"},
	{Kind: "TypeError", Message: "by non-int of type 'value'", Hint: knownWhileTracing},
	{Kind: "TypeError", Message: "list indices must be integers or slices, not value", Hint: "the index of a list must be known while tracing: make an array of its numbers, cp.vector(list)[i]"},
	{Kind: "TypeError", Message: "tuple indices must be integers or slices, not value", Hint: "the index of a tuple must be known while tracing: make an array of its numbers, cp.vector(tuple)[i]"},
	{Kind: "TypeError", Message: "indices must be integers or slices, not value", Hint: knownWhileTracing},
	{Kind: "TypeError", Message: "slice indices must be integers", Hint: knownWhileTracing},
	{Kind: "TypeError", Message: "must be real number, not value", Source: "%", Hint: "read it first: tg.read_value(x)"},
	{Kind: "TypeError", Message: `can only concatenate str (not "value")`, Hint: "read it first, then format it: f'{tg.read_value(x):.3f}'"},
	{Kind: "TypeError", Message: "'value' object is not callable", Hint: "write * to multiply"},
	{Kind: "TypeError", Message: "'value' object is not subscriptable", Hint: "a value is one number: make several with cp.vector([...])"},
	{Kind: "TypeError", Message: "'value' object is not iterable", Hint: "a value is one number: make several with cp.vector([...])"},
	{Kind: "TypeError", Message: "type 'value' has no len()", Hint: "a value is one number: make several with cp.vector([...])"},
	{Kind: "TypeError", Message: "value doesn't define __round__", Hint: "round to whole numbers with round(x); to digits as in cp.round(x * 100) / 100"},
	{Kind: "AttributeError", Message: "'value' object has no attribute", Hint: "a value has next and dtype; functions are called as cp.name(x)"},
	{Kind: "TypeError", Message: "xor: ", Hint: "the power is written **; ^ is for integers and bools"},
	{Kind: "TypeError", Message: "operands are f32 and f64", Hint: "convert one side with cp.f64(x) or cp.f32(x); numbers in the script take the other side's type"},
	{Kind: "TypeError", Message: "operands must be", Hint: "convert with int(x) or float(x), or compare to get a bool"},

	{Kind: "TypeError", Message: "format string passed to vector", Hint: "round it, cp.round(v, 3), or format its elements: ', '.join(f'{e:.3f}' for e in v)"},
	{Kind: "TypeError", Message: "format string passed to matrix", Hint: "round it: cp.round(m, 3)"},
	{Kind: "TypeError", Message: "format string passed to tensor", Hint: "round it: cp.round(x, 3)"},

	// Static loops.
	{Kind: "ValueError", Message: "iterations: 0 to", Hint: "for more, put a loop in a loop; a program that goes on for ever is run again and again: tg.run(n), and cp.state keeps values"},
	{Kind: "TypeError", Message: "the number of iterations must be an int", Hint: "give a plain int, such as 10 or len(xs)"},
	{Kind: "TypeError", Message: "keeps the carry of every iteration", Hint: "fewer iterations or a smaller carry: what does not change stays outside the carry, and a loop in a loop keeps less"},
	{Kind: "TypeError", Message: "the loop stacks", Hint: "carry a sum or the last values instead of the rows of all iterations"},
	{Kind: "ValueError", Message: "rows for", Hint: "the number of iterations is that of the rows: cp.scan(len(xs), body, carry, xs)"},
	{Kind: "TypeError", Message: "xs must be an array", Hint: "make an array of numbers with cp.vector([...]) or cp.matrix([[...], ...])"},

	// Numbers.
	{Kind: "ValueError", Message: "cannot convert float NaN to integer", Source: "] ", Hint: "an array of ints takes ints only: make one of floats, as x.astype(float) does"},
	{Kind: "TypeError", Message: "value: must be a number or an array of numbers, not 'str'", Hint: "convert the text first: cp.value(float(text))"},
	{Kind: "TypeError", Message: "must be a number or an array of numbers, not 'NoneType'", Hint: "this is None: a function without return gives None"},
	{Kind: "TypeError", Message: "must be a number or an array of numbers, not", Hint: plainAdvice},
	{Kind: "TypeError", Message: "must be a number, not 'NoneType'", Hint: "this is None: a function without return gives None"},
	{Kind: "TypeError", Message: "must be a number, not", Hint: plainAdvice},
	{Kind: "ValueError", Message: "is not a 32-bit integer", Hint: "write an integer, or make the variable a float: cp.value(1.0)"},
	{Kind: "TypeError", Message: "write_value: cannot write to", Hint: "write to variables made with cp.value(...) or cp.state(...)"},
	{Kind: "ValueError", Message: "write_value:", Hint: "give as many numbers as the variable has elements, in the same shape"},
	{Kind: "ValueError", Message: "run: the number of runs", Hint: "call tg.run(), or tg.run(n) with n of 1 or more"},
	{Kind: "TypeError", Message: "read_value: cannot read a", Hint: "give traced values, arrays, or lists and tuples of them"},
	{Kind: "TypeError", Message: "cannot compute a", Hint: "give traced values, arrays, or lists and tuples of them"},

	// Arrays.
	{Kind: "ValueError", Message: "only one of length 1 can go", Hint: "x.shape tells which axes have the length 1; without axis all of them go"},
	{Kind: "ValueError", Message: "source names", Hint: "name as many places as axes"},
	{Kind: "ValueError", Message: "shifts for", Hint: "give one shift for all axes, or one for each"},
	{Kind: "ValueError", Message: "average: ", Hint: "give a weight for each row of the axis, or weights in the shape of the array"},
	{Kind: "ValueError", Message: "einsum: ", Hint: "letters name axes, as in 'ij,jk->ik': axes with one letter have one length"},
	{Kind: "ValueError", Message: "places for", Hint: "xp and fp must have one length"},
	{Kind: "ValueError", Message: "convolve: the mode", Hint: "leave it out for 'full'"},
	{Kind: "ValueError", Message: "conditions for", Hint: "give one choice for each condition; what is left takes default"},
	{Kind: "ValueError", Message: "needs a vector or a matrix", Hint: "take one matrix of it, x[0], or its elements, x.flatten()"},
	{Kind: "ValueError", Message: "must be 0 or more", Hint: "give 0 or more"},
	{Kind: "ValueError", Message: "must be 1 or more", Hint: "give 1 or more"},
	{Kind: "ValueError", Message: "repeats cannot be negative", Hint: "give 0 or more"},
	{Kind: "ValueError", Message: "repeats for axis", Hint: "give one number for all rows, or one for each"},
	{Kind: "ValueError", Message: "axes or more, not shape", Hint: "x.reshape(1, -1) makes one row of a vector"},
	{Kind: "ValueError", Message: "is named twice", Hint: "name each axis once"},
	{Kind: "ValueError", Message: "is out of range for an array", Hint: "axes count from 0, or from -1 backwards: x.ndim tells how many there are"},
	{Kind: "ValueError", Message: "works along one axis", Hint: "name one axis"},
	{Kind: "TypeError", Message: "must be an integer, not 'value'", Hint: knownWhileTracing},
	{Kind: "TypeError", Message: "must be an integer, not", Hint: "give a plain int"},
	{Kind: "IndexError", Message: "index out of range", Source: "[", Hint: "indices go from 0 to len(x) - 1, or from -len(x) to -1"},
	{Kind: "IndexError", Message: "too many indices", Hint: "give one index for each axis: x.ndim tells how many"},
	{Kind: "TypeError", Message: "elements must be numbers or traced", Hint: plainAdvice + ", or a traced value, for each element"},
	{Kind: "ValueError", Message: "no elements", Hint: "give it one element or more, or ask len(x) first"},
	{Kind: "ValueError", Message: "rows before it have", Hint: "give all rows the same length"},
	{Kind: "ValueError", Message: "do not match", Hint: shapeAdvice},
	{Kind: "ValueError", Message: "differ beyond axis", Hint: shapeAdvice},
	{Kind: "ValueError", Message: "do not fill shape", Hint: "the lengths of the new axes multiplied must give the number of elements; one of them may be -1"},
	{Kind: "ValueError", Message: "is out of range for shape", Hint: "axes count from 0, or from -1 backwards: x.ndim tells how many there are"},
	{Kind: "ValueError", Message: "an axis cannot have the length", Hint: "give a length of 0 or more"},
	{Kind: "ValueError", Message: "elements are supported", Hint: "use a smaller array: the memory of a target is small"},
	{Kind: "ValueError", Message: "needs a square matrix", Hint: "for more equations than unknowns use cp.lstsq"},
	{Kind: "ValueError", Message: "cross: needs vectors of 3", Hint: "append a 0.0 for the third element, or compute v[0] * w[1] - v[1] * w[0]"},
	{Kind: "ValueError", Message: "quaternion: needs 4 components", Hint: "give w, x, y, z, or make it with cp.quaternion.from_axis_angle or from_euler"},
}
