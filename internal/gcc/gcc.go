// Package gcc times machine code against C functions of the same meaning, as GCC compiles them: both
// run in one process of C, in batches of calls, for which others may ask in turns.
package gcc

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrMissing says that there is no GCC on this machine.
var ErrMissing = errors.New("gcc is not installed: nothing to compare with (on Debian: apt install gcc libc6-dev)")

// Function is a C function, or a program's machine code.
type Function struct {
	// Source defines `void baseline(float *data)` and `float baseline_data[]`, which it is called with.
	// It is compiled with -O3 and Flags.
	Source string
	Flags  []string

	// Where Source is empty: `void entry(void *data)` of the C ABI, and its data block with BSS bytes
	// of zeros behind it.
	Code, Data []byte
	Entry, BSS int

	Result int // byte offset of a float in the data, which Batch returns
}

//go:embed bench/main.c
var mainC string

//go:embed bench/main.h
var mainH string

// Process has the functions.
type Process struct {
	functions []Function
	dir       string
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	said      strings.Builder // on its standard error
}

// Start compiles functions and starts the process. Close ends it.
func Start(functions []Function) (_ *Process, err error) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return nil, ErrMissing
	}
	dir, err := os.MkdirTemp("", "gcc-*")
	if err != nil {
		return nil, err
	}
	p := &Process{functions: functions, dir: dir}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	if err := p.build(); err != nil {
		return nil, fmt.Errorf("gcc: %w", err)
	}
	p.cmd = exec.Command(filepath.Join(dir, "main"))
	p.cmd.Dir, p.cmd.Stderr = dir, &p.said
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *Process) build() error {
	var list, declared strings.Builder
	files := map[string][]byte{"main.c": []byte(mainC), "main.h": []byte(mainH)}
	link := []string{"-O2", "-o", "main", "main.c", "list.c"}
	for i, f := range p.functions {
		if f.Source == "" {
			code, data := fmt.Sprintf("%d.code", i), fmt.Sprintf("%d.data", i)
			files[code], files[data] = f.Code, f.Data
			fmt.Fprintf(&list, "    {0, 0, \"%s\", \"%s\", %d, %d},\n", code, data, f.Entry, f.BSS)
			continue
		}
		files[fmt.Sprintf("%d.c", i)] = []byte(f.Source)
		link = append(link, fmt.Sprintf("%d.o", i))
		fmt.Fprintf(&declared, "void function_%d(float *data);\nextern float data_%d[];\n", i, i)
		fmt.Fprintf(&list, "    {function_%d, data_%d, 0, 0, 0, 0},\n", i, i)
	}
	files["list.c"] = []byte("#include \"main.h\"\n" + declared.String() + "struct function functions[] = {\n" + list.String() +
		"};\nconst size_t functions_count = sizeof functions / sizeof functions[0];\n")
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	for i, f := range p.functions {
		if f.Source == "" {
			continue
		}
		args := append([]string{"-O3"}, f.Flags...)
		args = append(args, fmt.Sprintf("-Dbaseline=function_%d", i), fmt.Sprintf("-Dbaseline_data=data_%d", i), "-c", fmt.Sprintf("%d.c", i))
		if err := p.gcc(args...); err != nil {
			return err
		}
	}
	return p.gcc(append(link, "-lm")...)
}

func (p *Process) gcc(args ...string) error {
	cmd := exec.Command("gcc", args...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// Batch calls a function a number of times, and returns how long that took and the result.
func (p *Process) Batch(function, calls int) (took time.Duration, result float32, err error) {
	_, err = fmt.Fprintf(p.in, "%d %d %d\n", function, calls, p.functions[function].Result)
	if err != nil {
		return 0, 0, p.failed(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, 0, p.failed(err)
	}
	var ns int64
	var bits uint32
	if _, err := fmt.Sscan(line, &ns, &bits); err != nil {
		return 0, 0, fmt.Errorf("gcc: the process answers %q: %w", line, err)
	}
	return time.Duration(ns), math.Float32frombits(bits), nil
}

func (p *Process) failed(err error) error {
	_ = p.in.Close()
	ended := p.cmd.Wait()
	return fmt.Errorf("gcc: the process with the functions ended: %w %s", errors.Join(err, ended), p.said.String())
}

// Close ends the process and removes what was built.
func (p *Process) Close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
	_ = os.RemoveAll(p.dir)
}

// Version is that of GCC, such as "gcc (Debian 12.2.0-14) 12.2.0".
func Version() (string, error) {
	out, err := exec.Command("gcc", "--version").Output()
	if err != nil {
		return "", ErrMissing
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}
