package pil

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// Compile makes the only program of a script, or that of a graph file, for a device. A script runs on the
// oracle for that.
func Compile(ctx context.Context, file string, dev device.Device) (*compiler.Program, error) {
	opt := compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Source: filepath.Base(file)}
	if filepath.Ext(file) != ".py" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := graphfile.Decode(data)
		if err != nil {
			return nil, err
		}
		return compiler.CompileFile(f, opt)
	}
	there, err := oracle.New(opt.Arch)
	if err != nil {
		return nil, err
	}
	there.SetFeatures(opt.Features)
	var programs []*compiler.Program
	err = script.Run(ctx, file, script.Options{
		Compiled: func(s *copapy.Stats) { programs = append(programs, s.Program) },
		Open:     func(context.Context) (device.Device, error) { return there, nil },
		Compiler: opt,
	})
	if err != nil {
		return nil, err
	}
	if len(programs) != 1 {
		return nil, fmt.Errorf("%s compiles %d programs: want one", file, len(programs))
	}
	return programs[0], nil
}
