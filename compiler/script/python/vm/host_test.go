package vm_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// symbol is a host value that writes down what is done with it.
type symbol struct{ text string }

var symbolClass = vm.NewClass("symbol", nil, func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("symbol", "name?", "*", "unit?")
	if err != nil {
		return nil, err
	}
	switch {
	case vs[0] != nil:
		return &symbol{fmt.Sprint(vs[0])}, nil
	case a.KwText("unit") != "":
		return &symbol{"unit:" + a.KwText("unit")}, nil
	}
	return &symbol{"?"}, nil
})

func init() {
	symbolClass.SetMethod("twice", func(_ *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		return &symbol{"twice(" + self.(*symbol).text + ", " + a.Text(0) + ")"}, nil
	})
	symbolClass.SetProperty("name", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return self.(*symbol).text, nil
	}, func(_ *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		self.(*symbol).text = a.Pos[0].(string)
		return vm.None, nil
	})
}

func text(v vm.Value) (string, bool) {
	switch v := v.(type) {
	case *symbol:
		return v.text, true
	case int64, float64, bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

func (*symbol) PyClass() *vm.Class { return symbolClass }

func (s *symbol) Binary(_ *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	o, ok := text(other)
	if !ok {
		return vm.NotImplemented, nil
	}
	if reflected {
		return &symbol{"(" + o + op.String() + s.text + ")"}, nil
	}
	return &symbol{"(" + s.text + op.String() + o + ")"}, nil
}

func (s *symbol) Unary(_ *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	return &symbol{op.Method() + "(" + s.text + ")"}, nil
}

func (s *symbol) Compare(_ *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	o, ok := text(other)
	if !ok {
		return vm.NotImplemented, nil
	}
	return &symbol{"(" + s.text + op.String() + o + ")"}, nil
}

func (s *symbol) Truth(*vm.Thread) (bool, error) {
	return false, vm.WithHint(vm.TypeErrorf("a symbol has no truth value"), "use select")
}

func (s *symbol) Select(_ *vm.Thread, a, b vm.Value) (vm.Value, error) {
	x, _ := text(a)
	y, _ := text(b)
	return &symbol{"select(" + s.text + ", " + x + ", " + y + ")"}, nil
}

func (s *symbol) Attr(_ *vm.Thread, name string) (vm.Value, error) {
	if name == "T" {
		return &symbol{s.text + ".T"}, nil
	}
	return nil, nil
}

func (s *symbol) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	k, err := t.Repr(key)
	return &symbol{s.text + "[" + k + "]"}, err
}

func (s *symbol) SetIndex(t *vm.Thread, key, value vm.Value) error {
	return vm.TypeErrorf("symbols cannot be changed")
}

func (s *symbol) Len(*vm.Thread) (int, error) { return len(s.text), nil }

func (s *symbol) Repr(*vm.Thread) (string, error) { return "<" + s.text + ">", nil }

func (s *symbol) Format(_ *vm.Thread, spec string) (string, error) { return s.text + ":" + spec, nil }

func (s *symbol) Call(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	return &symbol{fmt.Sprintf("%s/%d", s.text, len(a.Pos))}, nil
}

func hostModule(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("host")
	m.Set("symbol", symbolClass)
	m.Set("x", &symbol{"x"})
	m.Set("y", &symbol{"y"})
	m.Func("where", func(t *vm.Thread, _ vm.Args) (vm.Value, error) {
		file, line := t.Position(t.Pos())
		return fmt.Sprintf("%s:%d", file, line), nil
	})
	m.Func("texts", func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
		var parts []string
		for i := range a.Pos {
			parts = append(parts, a.Text(i))
		}
		for _, k := range a.Kw {
			parts = append(parts, k.Name+"="+a.KwText(k.Name))
		}
		return strings.Join(parts, "|"), nil
	})
	m.Func("apply", func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("apply", "fn", "arg")
		if err != nil {
			return nil, err
		}
		return t.Call(vs[0], vs[1])
	})
	m.Func("fail", func(*vm.Thread, vm.Args) (vm.Value, error) { return nil, errors.New("plain Go error") })
	return m, nil
}

func runHost(src string, files map[string]string) (string, *vm.Error) {
	var out bytes.Buffer
	t := vm.NewThread(vm.Options{Stdout: &out, Modules: map[string]vm.ModuleFunc{"host": hostModule},
		Load: func(module string) (string, []byte, error) {
			if text, ok := files[module]; ok {
				return module + ".py", []byte(text), nil
			}
			return "", nil, fs.ErrNotExist
		}})
	_, err := t.Run("main.py", []byte("from host import *\n"+src))
	var e *vm.Error
	errors.As(err, &e)
	return out.String(), e
}

// TestHostValues: every operation on a host value reaches its methods.
func TestHostValues(t *testing.T) {
	for src, want := range map[string]string{
		"x + 1":                            "<(x+1)>",
		"2.5 - x":                          "<(2.5-x)>",
		"x @ y":                            "<(x@y)>",
		"-x":                               "<__neg__(x)>",
		"abs(x)":                           "<__abs__(x)>",
		"round(x)":                         "<__round__(x)>",
		"float(x), int(x)":                 "(<__float__(x)>, <__int__(x)>)",
		"x < 3":                            "<(x<3)>",
		"3 < x":                            "<(x>3)>",
		"x == y, x != 1, 1 == x":           "(<(x==y)>, <(x!=1)>, <(x==1)>)",
		"x == 'a', x != None":              "(False, True)",
		"1 < x < 5":                        "<((x>1)&(x<5))>",
		"1 < 2 < x":                        "<(x>2)>",
		"1 < x < 5 < 6":                    "<((x>1)&(x<5))>",
		"2 < 1 < x":                        "False",
		"1 < x < 5 > 7":                    "False",
		"1 if x > 0 else y":                "<select((x>0), 1, y)>",
		"(x if y else 1) if x else 2":      "<select(x, select(y, x, 1), 2)>",
		"[1 if v else 2 for v in (x, 0)]":  "[<select(x, 1, 2)>, 2]",
		"x.T, x.name, x.T.name":            "(<x.T>, 'x', 'x.T')",
		"x[1], x[1:2], x[0, 1]":            "(<x[1]>, <x[slice(1, 2, None)]>, <x[(0, 1)]>)",
		"len(x)":                           "1",
		"f'{x:.2f} {x!r} {x}'":             "'x:.2f <x> x:'",
		"x(1, 2)":                          "<x/2>",
		"sum([x, y])":                      "<((0+x)+y)>",
		"x.twice(x + 1)":                   "<twice(x, x + 1)>",
		"symbol('q'), symbol(unit=3 * 4)":  "(<q>, <unit:3 * 4>)",
		"isinstance(x, symbol), type(x)":   "(True, <class 'symbol'>)",
		"texts(x+1, [1,\n2], k=x  *  y)":   "'x+1|[1,\\n2]|k=x  *  y'",
		"texts(*[1], x), texts()":          "('|', '')",
		"apply(lambda v: v * 2, x)":        "<(x*2)>",
		"list(map(texts, [1]))":            "['']",
		"[where(),\nwhere()]":              "['main.py:2', 'main.py:3']",
		"{x: 1}[x], x in [x, 1.5], x is x": "(1, True, True)",
		"hasattr(x, 'T'), hasattr(x, 'q')": "(True, False)",
		"getattr(x, 'q', 5), callable(x)":  "(5, True)",
	} {
		t.Run(src, func(t *testing.T) {
			out, err := runHost("v = ("+src+")\nprint(repr(v))", nil)
			if err != nil {
				t.Fatal(err.Report())
			}
			require.Equal(t, want+"\n", out)
		})
	}
}

// TestHostErrors: errors of host values come with place and hint.
func TestHostErrors(t *testing.T) {
	for src, want := range map[string]string{
		"if x: pass":              "2:4: TypeError: a symbol has no truth value",
		"while x > 1: pass":       "2:9: TypeError: a symbol has no truth value",
		"v = x and 1":             "2:7: TypeError: a symbol has no truth value",
		"v = not x":               "2:5: TypeError: a symbol has no truth value",
		"v = bool(x)":             "2:5: TypeError: a symbol has no truth value",
		"v = x + 'a'":             "2:7: TypeError: unsupported operand type(s) for +: 'symbol' and 'str'",
		"v = 'a' < x":             "2:9: TypeError: '<' not supported between instances of 'str' and 'symbol'",
		"x[0] = 1":                "2:2: TypeError: symbols cannot be changed",
		"for i in x: pass":        "2:10: TypeError: 'symbol' object is not iterable",
		"x.foo = 1":               "2:3: AttributeError: 'symbol' object has no attribute 'foo'",
		"fail()":                  "2:1: RuntimeError: plain Go error",
		"symbol(1, 2)":            "2:1: TypeError: symbol() takes from 0 to 1 positional arguments but 2 were given",
		"apply(1)":                "2:1: TypeError: apply() missing 1 required positional argument: 'arg'",
		"apply(fn=1, arq=2)":      "2:1: TypeError: apply() got an unexpected keyword argument 'arq'",
		"apply(lambda v: v/0, 1)": "2:18: ZeroDivisionError: division by zero",
	} {
		t.Run(src, func(t *testing.T) {
			_, err := runHost(src, nil)
			require.NotNil(t, err)
			require.Equal(t, "main.py:"+want, err.Error())
			if strings.Contains(want, "truth") {
				require.Equal(t, "use select", err.Hint)
			}
		})
	}
}

// TestHostSubclass: a script derives from a host class.
func TestHostSubclass(t *testing.T) {
	out, err := runHost(`
class Gain(symbol):
    def __init__(self, name, unit):
        self.unit = unit
    def both(self): return self.name + self.unit
    def __mul__(self, o): return ("mul", o)
g = Gain("k", "Hz")
print(g + 1, 2 - g, g * 3, -g, g < 1, g.both(), g.T, g[0], isinstance(g, symbol), f"{g}", g.twice(5))
`, nil)
	if err == nil {
		t.Fatal(out)
	}
	require.Equal(t, "TypeError", err.Kind) // symbol takes the unit by keyword only
	out, err = runHost(`
class Gain(symbol):
    def both(self): return self.name + "!"
    def __mul__(self, o): return ("mul", o)
g = Gain("k")
g.unit = "Hz"
print(g + 1, 2 - g, g * 3, -g, g < 1, g.both(), g.T, g[0], isinstance(g, symbol), f"{g}", g.twice(5), g.unit)
`, nil)
	if err != nil {
		t.Fatal(err.Report())
	}
	require.Equal(t, "<(k+1)> <(2-k)> ('mul', 3) <__neg__(k)> <(k<1)> k! <k.T> <k[0]> True <k> <twice(k, 5)> Hz\n", out)
}

func TestModules(t *testing.T) {
	files := map[string]string{
		"gains":  "import limits as l\nK = 2\ndef f(v): return v * K + l.LOW\n_hidden = 1\nprint(__name__)\n",
		"limits": "from gains import *\nLOW = 5\n",
		"broken": "x = 1\ny = x.nothing\n",
		"syntax": "x = = 1\n",
	}
	out, err := runHost("import gains, gains as g\nfrom gains import f, K as gain\nprint(f(1), gain, g is gains, where())", files)
	require.Nil(t, err)
	require.Equal(t, "gains\n7 2 True main.py:4\n", out)

	_, err = runHost("import broken", files)
	require.Equal(t, "broken.py:2:7: AttributeError: 'int' object has no attribute 'nothing'", err.Error())
	require.Equal(t, []string{"main.py", "broken.py"}, []string{err.Stack[0].File, err.Stack[1].File})

	_, err = runHost("import syntax", files)
	require.Equal(t, "syntax.py:1:5: SyntaxError: invalid syntax: unexpected '='", err.Error())

	_, err = runHost("import nothing", files)
	require.Equal(t, "ModuleNotFoundError", err.Kind)
	_, err = runHost("from gains import Kay", files)
	require.Equal(t, "ImportError: cannot import name 'Kay' from 'gains'", err.Kind+": "+err.Message)
}

func TestEachGlobal(t *testing.T) {
	th := vm.NewThread(vm.Options{})
	_, err := th.Run("main.py", []byte("b = 1\na = 2\ndel b\nc = 'x'\n"))
	require.NoError(t, err)
	var names []string
	th.EachGlobal(func(name string, _ vm.Value) { names = append(names, name) })
	require.Equal(t, []string{"__name__", "__package__", "__file__", "__doc__", "a", "c"}, names)
}

func TestEachPart(t *testing.T) {
	th := vm.NewThread(vm.Options{})
	_, err := th.Run("main.py", []byte(`
class C: pass
a = C()
a.x, a.gone = 1, 2
del a.gone
a.own = a
b = [a, (3.5, C())]
b[1][1].y = b
c = [[[[[9]]]]]
many = list(range(10000))
`))
	require.NoError(t, err)
	var names []string
	th.EachPart(func(name string, _ vm.Value) { names = append(names, name) })
	require.Equal(t, []string{"a.x", "a.own", "b[0]", "b[1]", "b[1][0]", "b[1][1]", "b[1][1].y", "c[0]", "c[0][0]", "c[0][0][0]", "c[0][0][0][0]", "many[0]"}, names[:12])
	require.Len(t, names, 4096)
}
