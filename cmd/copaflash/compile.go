package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/hil/target"
)

func compileCommand(a *app) *cobra.Command {
	var arch, output, export string
	var features []string
	var how howFlags
	var host scriptHost
	c := &cobra.Command{
		Use:   "compile SCRIPT|GRAPH",
		Short: "Compile a script's program to an image file for one architecture",
		Long: `Compile a script, or a graph file (.json, .cbor), to an image file (.copa), which
deploy sends to any board of the architecture and inspect shows.

The script "-" is read from standard input. The script runs, and the oracle stands in
for its target. It must compile one program; if it compiles several, --program picks one.

The code runs on every processor of the architecture. With --features it may use
extensions that only some of them have: avx2 makes loops over arrays on x86_64 about
twice as fast. A runner without the feature refuses such an image. run, and deploy of
a script, use the features of the target automatically.

With --graph the program is written as a graph file, which other tools can read;
an image file is then written only if -o names one.` + bindHelp(),
		Example: `  copaflash compile examples/pid.py --arch aarch64 -o pid.copa
  copaflash compile examples/mlp.py --arch x86_64 --features avx2
  copaflash inspect pid.copa
  copaflash compile examples/pid.py --graph pid.json`,
		Args: scriptArg,
	}
	var pick int
	var rate pace
	c.Flags().StringVarP(&arch, "arch", "a", target.HostArch(), "architecture: "+strings.Join(compiler.Archs(), ", "))
	c.Flags().StringSliceVar(&features, "features", nil, featuresUsage)
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		// The libraries tell, which take longer to decode than all else at the start of a program.
		c.Flags().Lookup("features").Usage = featuresUsage + featureList()
		c.Parent().HelpFunc()(c, args)
	})
	c.Flags().StringVarP(&output, "output", "o", "", "image file (default: the script's name with .copa)")
	c.Flags().StringVarP(&export, "graph", "g", "", "also or only a graph file: FILE.json or FILE.cbor")
	c.Flags().IntVar(&pick, "program", 0, "which program of the script, from 1 (default: the only one)")
	how.add(c)
	host.add(c)
	host.bind.add(a, c)
	rate.addFor(c, "ticks a second that the program is made for, such as 1kHz: for channels of --bind that count in seconds")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := compiler.CheckArch(arch); err != nil {
			return &failure{Code: exitUsage, Message: err.Error(), Hint: "--arch is one of " + strings.Join(compiler.Archs(), ", ")}
		}
		bits, err := compiler.ParseFeatures(arch, features)
		if err != nil {
			return &failure{Code: exitUsage, Message: err.Error(), Hint: "there are: " + featureList()}
		}
		if err := notCompiled(args[0]); err != nil {
			return err
		}
		if args[0] == stdinScript && output == "" && export == "" {
			return &failure{Code: exitUsage, Message: "a program from standard input has no file name", Hint: "name the image file with -o"}
		}
		opt := how.options()
		opt.Arch, opt.Features = arch, bits
		if host.bind.rate, err = rate.hz(); err != nil {
			return err
		}
		prog, f, err := compileFile(c.Context(), args[0], pick, opt, host)
		if err != nil {
			return err
		}
		img := prog.Image
		if export != "" {
			if f == nil {
				if f, err = prog.File(); err != nil {
					return err
				}
			}
			if err := writeGraph(export, f); err != nil {
				return err
			}
		}
		if output == "" && export == "" {
			base := filepath.Base(args[0])
			output = strings.TrimSuffix(base, filepath.Ext(base)) + imageSuffix
		}
		if output != "" {
			if err := writeImage(output, img); err != nil {
				return err
			}
		}
		if a.ui.json {
			return a.ui.doc(struct {
				document
				File    string      `json:"file,omitempty"`
				Graph   string      `json:"graph,omitempty"`
				Digest  string      `json:"digest"`
				Program programInfo `json:"program"`
			}{okDocument("compile"), output, export, digestText(img), imageInfo(img)})
		}
		if export != "" {
			a.ui.note("%s: %s, %s", export, plural(f.Graph.NumNodes(), "node"), plural(len(f.Outputs), "output"))
		}
		if output == "" {
			return nil
		}
		a.ui.note("%s: %s, %d ops, code %d bytes, data %d bytes, %d patches", output, imageInfo(img).archNote(),
			img.Budget.TotalOps(), len(img.Code), img.DataSize(), img.PatchCount())
		return nil
	}
	return c
}

const featuresUsage = "what the code may use beyond the architecture's base: "

// featureList says for each architecture what --features may name.
func featureList() string {
	var list []string
	for _, arch := range compiler.Archs() {
		if names := compiler.Features(arch); len(names) > 0 {
			list = append(list, strings.Join(names, ", ")+" for "+arch)
		}
	}
	return strings.Join(list, "; ")
}

// compileFile compiles a script or a graph file, which is returned as well.
func compileFile(ctx context.Context, file string, pick int, opt compiler.Options, host scriptHost) (p *compiler.Program, f *graphfile.File, err error) {
	if isGraph(file) {
		if err := host.bind.give(ctx, &opt); err != nil {
			return nil, nil, err
		}
		if f, err = readGraph(file); err != nil {
			return nil, nil, err
		}
		if p, err = compileGraph(f, file, opt); err == nil && opt.Bind != nil {
			f, err = p.File()
		}
	} else {
		p, err = compileScript(ctx, file, pick, opt, &host)
	}
	if err == nil {
		err = host.bind.check()
	}
	return p, f, err
}

// compileScript runs a script on the oracle and returns one
// of its programs.
func compileScript(ctx context.Context, file string, pick int, opt compiler.Options, host *scriptHost) (*compiler.Program, error) {
	var programs []*copapy.Stats
	dev, err := oracle.New(opt.Arch)
	if err != nil {
		return nil, err
	}
	dev.SetFeatures(opt.Features)
	only := &compileOnly{Device: dev}
	run := script.Options{
		Compiled: func(s *copapy.Stats) { programs = append(programs, s) },
		Open:     func(context.Context) (device.Device, error) { return only, nil },
		Compiler: opt,
	}
	if err := host.give(ctx, &run, nil); err != nil {
		return nil, err
	}
	err = runSource(ctx, file, run)
	if err != nil && !errors.Is(err, errStarts) {
		return nil, scriptFailure(file, err)
	}
	switch {
	case len(programs) == 0:
		return nil, &failure{Code: exitUsage, Message: file + " compiles no program",
			Hint: "a program is made by tg = cp.Target() and tg.compile(...)", File: file}
	case pick == 0 && only.started != nil:
		pick = 1 + slices.IndexFunc(programs, func(s *copapy.Stats) bool { return s.Program == only.started })
	case pick == 0 && len(programs) > 1:
		return nil, &failure{Code: exitUsage, Message: plural(len(programs), "program") + " in " + file,
			Hint: "choose one with --program 1 and so on", File: file}
	case pick < 0 || pick > len(programs):
		return nil, &failure{Code: exitUsage, Message: "there is no such program: " + file + " has " + plural(len(programs), "program"),
			Hint: "--program counts from 1", File: file}
	}
	p := programs[max(pick-1, 0)].Program
	only.keepRate(p)
	p.Image.Source = filepath.Base(file)
	return p, nil
}

// archNote is what people are told of the kind of code: "x86_64+avx2 fast". Features
// that every image of an architecture needs go without saying.
func (p programInfo) archNote() string {
	text := p.Arch
	for _, name := range compiler.Features(p.Arch) {
		if slices.Contains(p.Needs, name) {
			text += "+" + name
		}
	}
	return text + p.fastNote()
}

// fastNote is what people are told of it behind the architecture.
func (p programInfo) fastNote() string {
	switch p.Fast {
	case image.FastWhole.Label():
		return " fast"
	case image.FastParts.Label():
		return " fast in parts"
	}
	return ""
}

func imageInfo(img *image.Image) programInfo {
	return programInfo{
		Arch: img.Arch.String(), Needs: img.Features.Names(), Fast: img.Fast.Label(), Ops: img.Budget.TotalOps(),
		CodeBytes: len(img.Code), DataBytes: img.DataSize(), StackBytes: img.Budget.StackBytes,
		Patches: img.PatchCount(), WireBytes: img.WireBytes(),
	}
}

func digestText(img *image.Image) string {
	d := img.Digest()
	return hex.EncodeToString(d[:])
}

// writeImage writes an image file.
func writeImage(file string, img *image.Image) error {
	data, err := img.Encode()
	if err != nil {
		return err
	}
	return writeFile(file, data)
}

// maxImageFile bounds image files, in bytes: no runner has so much memory.
const maxImageFile = 1 << 30

// readFile reads a file of at most limit bytes.
func readFile(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: %w", file, errTooLong)
	}
	return data, nil
}

var errTooLong = errors.New("too long for a file of its kind")

// writeFile writes a file whole or not at all. A link stays one, and what is no
// file, such as a pipe, is written to and not replaced.
func writeFile(file string, data []byte) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	write := func(file string, data []byte) error { return replaceFile(file, data, 0o644) }
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		write = func(file string, data []byte) error { return os.WriteFile(file, data, 0o644) }
	}
	err := write(file, data)
	if err == nil {
		return nil
	}
	f := &failure{Code: codeOf(err), Message: "cannot write " + file + ": " + reason(err).Error(),
		Hint: "name a file in a folder that can be written to", File: file}
	if errors.Is(err, syscall.EISDIR) {
		f.Code = exitUsage
	}
	return f
}

// reason is what the system said, without the names of files.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func replaceFile(file string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".copa-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if e := tmp.Chmod(mode); err == nil {
		err = e
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// readImage reads an image file that somebody named, and says what it lacks.
func (a *app) readImage(file string) (*image.Image, error) {
	img, err := readImage(file)
	if err == nil && img.Lacks() != "" {
		a.warn(file + ": " + img.Lacks() + "; compile the program again")
	}
	return img, err
}

// readImage reads an image file.
func readImage(file string) (*image.Image, error) {
	data, err := readFile(file, maxImageFile)
	if err != nil {
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: "check the name", File: file}
	}
	img, err := image.Decode(data)
	if err != nil {
		return nil, &failure{Code: exitUsage, Message: file + ": " + err.Error(),
			Hint: "make an image with: copaflash compile SCRIPT --arch ARCH -o FILE", File: file}
	}
	return img, nil
}
