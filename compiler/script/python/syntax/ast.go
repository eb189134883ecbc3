package syntax

// Expr is an expression. Its position is where an error in evaluating it is
// shown: the operator of an operation, the name before the bracket of a call.
type Expr interface{ At() Pos }

// Stmt is a statement.
type Stmt interface{ At() Pos }

// At returns the position itself, so that embedding Pos makes a node.
func (p Pos) At() Pos { return p }

// Bytes is the value of a bytes literal.
type Bytes string

// NoneLit and EllipsisLit are the values of the constants None and `...`.
type (
	NoneLit     struct{}
	EllipsisLit struct{}
)

// Expressions.
type (
	// Const has a Value of type NoneLit, EllipsisLit, bool, int64, *big.Int, float64, string or Bytes.
	Const struct {
		Pos
		Value any
	}
	Name struct {
		Pos
		ID string
	}
	// FString concatenates constant text (*Const) and *Field parts.
	FString struct {
		Pos
		Parts []Expr
	}
	// Field is {X!conv:spec} in an f-string.
	Field struct {
		Pos
		X    Expr
		Conv byte     // 'r', 's', 'a' or 0
		Spec *FString // nil if absent
	}
	Unary struct {
		Pos
		Op UnaryOp
		X  Expr
	}
	Not struct {
		Pos
		X Expr
	}
	Binary struct {
		Pos
		Op   BinaryOp
		X, Y Expr
	}
	// Logic is a chain of `and` or of `or`.
	Logic struct {
		Pos
		And bool
		Xs  []Expr
	}
	// Compare is X Ops[0] Ys[0] Ops[1] Ys[1] ...
	Compare struct {
		Pos
		X   Expr
		Ops []Relation
		Ys  []Expr
	}
	Cond struct {
		Pos
		If, Then, Else Expr
	}
	Lambda struct {
		Pos
		Params Params
		Body   Expr
	}
	Tuple struct {
		Pos
		Elems []Expr
	}
	List struct {
		Pos
		Elems []Expr
	}
	Set struct {
		Pos
		Elems []Expr
	}
	// Dict has a nil key where a value is unpacked with **.
	Dict struct {
		Pos
		Keys, Values []Expr
	}
	// Comp is a comprehension or generator expression.
	Comp struct {
		Pos
		Kind CompKind
		Key  Expr // dicts only
		Elem Expr
		Fors []CompFor
	}
	Attribute struct {
		Pos
		X    Expr
		Name string
	}
	Subscript struct {
		Pos
		X, Index Expr
	}
	// Slice is a:b:c inside a subscript; absent parts are nil.
	Slice struct {
		Pos
		Start, Stop, Step Expr
	}
	Call struct {
		Pos
		Fun  Expr
		Args []Arg
	}
	Starred struct {
		Pos
		X Expr
	}
	Walrus struct {
		Pos
		Target *Name
		X      Expr
	}
	Yield struct {
		Pos
		X Expr // nil for a bare yield
	}
	YieldFrom struct {
		Pos
		X Expr
	}
)

// Relation is a comparison with its place.
type Relation struct {
	Pos
	Kind RelationKind
	Op   CompareOp // for Ordered
}

// RelationKind tells the comparisons that values define from the others.
type RelationKind uint8

// The kinds of relations.
const (
	Ordered RelationKind = iota // == != < <= > >=
	In
	NotIn
	Is
	IsNot
)

// CompKind says what a comprehension makes.
type CompKind uint8

// The kinds of comprehensions.
const (
	ListComp CompKind = iota
	SetComp
	DictComp
	Generator
)

// CompFor is one `for target in iter if ...` of a comprehension.
type CompFor struct {
	Pos
	Target Expr
	Iter   Expr
	Ifs    []Expr
}

// Arg is one argument of a call. Start and End are the byte offsets of its
// expression in the source.
type Arg struct {
	Name       string // keyword, or ""
	Star       int    // 1 for *x, 2 for **x
	X          Expr
	Start, End int
}

// Param is one parameter of a function.
type Param struct {
	Pos
	Name    string
	Default Expr // nil if there is none

	Annotation string // its text; "" if there is none
}

// Params are the parameters of a function.
type Params struct {
	Pos      []Param // positional, the first PosOnly of them positional only
	PosOnly  int
	Star     *Param // *args
	KwOnly   []Param
	StarStar *Param // **kwargs
}

// Statements.
type (
	ExprStmt struct {
		Pos
		X Expr
	}
	Assign struct {
		Pos
		Targets []Expr
		X       Expr
	}
	AugAssign struct {
		Pos
		Op     BinaryOp
		Target Expr
		X      Expr
	}
	// AnnAssign is `target: annotation = x`; X may be nil. Annotation is its text.
	AnnAssign struct {
		Pos
		Target     Expr
		X          Expr
		Annotation string
	}
	If struct {
		Pos
		Clauses []IfClause
		Else    []Stmt
	}
	While struct {
		Pos
		Cond Expr
		Body []Stmt
		Else []Stmt
	}
	For struct {
		Pos
		Target Expr
		Iter   Expr
		Body   []Stmt
		Else   []Stmt
	}
	FuncDef struct {
		Pos
		Name       string
		Params     Params
		Returns    string // text of the annotation
		Body       []Stmt
		Decorators []Expr
	}
	// Match is a match statement.
	Match struct {
		Pos
		X     Expr
		Cases []Case
	}
	ClassDef struct {
		Pos
		Name       string
		Args       []Arg
		Body       []Stmt
		Decorators []Expr
	}
	Return struct {
		Pos
		X Expr // nil: None
	}
	Break    struct{ Pos }
	Continue struct{ Pos }
	Pass     struct{ Pos }
	Import   struct {
		Pos
		Names []Alias
	}
	// FromImport imports names of one module; Names is empty for `*`.
	FromImport struct {
		Pos
		Module string
		Names  []Alias
	}
	// Declare is `global` or `nonlocal`.
	Declare struct {
		Pos
		Nonlocal bool
		Names    []string
	}
	Raise struct {
		Pos
		X, Cause Expr // nil if absent
	}
	Try struct {
		Pos
		Body     []Stmt
		Handlers []Handler
		Else     []Stmt
		Finally  []Stmt
	}
	With struct {
		Pos
		Items []WithItem
		Body  []Stmt
	}
	Assert struct {
		Pos
		X, Msg Expr // Msg may be nil
	}
	Del struct {
		Pos
		Targets []Expr
	}
)

// IfClause is `if` or `elif`.
type IfClause struct {
	Cond Expr
	Body []Stmt
}

// Handler is an except clause.
type Handler struct {
	Pos
	Type Expr   // nil for a bare except
	Name string // "" if absent
	Body []Stmt
}

// WithItem is `x as target` in a with statement; Target may be nil.
type WithItem struct {
	X      Expr
	Target Expr
}

// Alias is `name as as`.
type Alias struct {
	Pos
	Name, As string
}

// File is a parsed source file.
type File struct {
	Source *Source
	Body   []Stmt
}

// Case is one `case pattern if guard` of a match statement.
type Case struct {
	Pos
	Pattern *Pattern
	Guard   Expr // nil if there is none
	Body    []Stmt
}

// Pattern is what follows case.
type Pattern struct {
	Pos
	Kind  PatternKind
	Name  string     // of what is captured: by captures, as patterns, stars and the rest of mappings; "" is nothing
	X     Expr       // the value or class
	Subs  []*Pattern // elements, alternatives, values of keys, arguments of a class
	Keys  []Expr     // of mappings
	Attrs []string   // names of the last Subs of a class
}

// PatternKind is the kind of a Pattern.
type PatternKind uint8

// The kinds of patterns.
const (
	AnyPattern      PatternKind = iota // _ and names
	ValuePattern                       // compared with ==
	IdentityPattern                    // None, True, False: compared with is
	SequencePattern
	StarPattern // only in sequences
	MappingPattern
	ClassPattern
	OrPattern
	AsPattern // its only sub-pattern, under a name
)
