// Package manual holds the language reference: an entry for every name of the
// module `copapy` and for every operator, written beside the code in the pages
// *.md of this folder, and the ops of the graph, whose text is the op table.
//
// Scripts see an entry as the doc string of the name (help(cp.clamp)), the
// command line by `copaflash doc clamp`, readers as docs/reference, which
// `go run ./compiler/script/copapy/manual/write` makes. A name without an entry, an
// entry without a name, an entry that lacks a part, parameters other than
// those of the code and an example that prints something else fail the tests of package script.
//
// A page is Markdown. An entry begins with its call as a heading of level 2 and
// has, in this order: what it does; a list of parts, each with a label of Labels;
// examples, as lines `>>> ` and `... ` followed by what Python would show.
//
//	## clamp(x, min_value, max_value)
//
//	`x` within limits.
//
//	- Takes: numbers or arrays
//	- Op: min, max
//
//	>>> cp.clamp(5, 0, 3)
//	3
package manual
