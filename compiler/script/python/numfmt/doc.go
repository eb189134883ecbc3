// Package numfmt writes numbers and strings as Python does: repr of floats
// and the format specification mini-language. It knows nothing of Python
// values and imports nothing else of the project.
package numfmt
