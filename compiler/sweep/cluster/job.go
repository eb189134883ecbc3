package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/sweep"
)

// Job is a sweep as it travels.
type Job struct {
	Format  int        `cbor:"1,keyasint"`
	Release string     `cbor:"2,keyasint"` // of the program that made it
	Graph   []byte     `cbor:"3,keyasint"` // a graph file
	Fast    bool       `cbor:"4,keyasint"`
	Spec    sweep.Spec `cbor:"5,keyasint"`
	Chunk   int        `cbor:"6,keyasint"` // runs in a chunk
	Known   [][]byte   `cbor:"7,keyasint"` // rows of the oracle, of the runs that knownRuns names
}

const format = 1

// Sizes of chunks: a result is a message, which servers take up to 1 MB by default.
const (
	maxRows   = 4096
	maxResult = 256 << 10 // bytes
	someTurns = 256       // chunks, if there are enough runs
)

// NewJob makes a job and binds it here. The graph is a file as `compile --graph` writes.
func NewJob(ctx context.Context, release string, f *graphfile.File, fast bool, spec sweep.Spec) (*Job, *sweep.Sweep, error) {
	text, err := f.CBOR()
	if err != nil {
		return nil, nil, err
	}
	j := &Job{Format: format, Release: release, Graph: text, Fast: fast, Spec: spec}
	dev, err := oracle.New(compiler.Archs()[0])
	if err != nil {
		return nil, nil, err
	}
	s, err := j.bind(dev)
	if err != nil {
		return nil, nil, err
	}
	j.Chunk = max(1, min(s.Len()/someTurns, maxRows, maxResult/max(s.Width(), 1)))
	j.Known, err = j.known(ctx, dev, s)
	return j, s, err
}

// known are the rows of a few runs as a device computes them.
func (j *Job) known(ctx context.Context, dev device.Device, s *sweep.Sweep) (rows [][]byte, err error) {
	workers, err := pool.New(ctx, dev, s.Program, 1)
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	for _, run := range knownRuns(s.Len()) {
		err := s.Each(ctx, workers, run, 1, false, func(c sweep.Chunk) error {
			rows = append(rows, bytes.Clone(c.Rows))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func knownRuns(n int) []int { return []int{0, n / 2, n - 1} }

// bind compiles the job's graph for a device and finds the names of the sweep in it.
func (j *Job) bind(dev device.Device) (*sweep.Sweep, error) {
	f, err := graphfile.Decode(j.Graph)
	if err != nil {
		return nil, err
	}
	p, err := compiler.CompileFile(f, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Fast: j.Fast})
	if err != nil {
		return nil, err
	}
	return sweep.Bind(p, j.Spec)
}

// encode is the job as a message, and its name: the beginning of its digest.
func (j *Job) encode() (text []byte, name string, err error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, "", err
	}
	if text, err = mode.Marshal(j); err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:16]), nil
}

// decodeJob reads a job, which must have the name that it is known by.
func decodeJob(text []byte, name string) (*Job, error) {
	sum := sha256.Sum256(text)
	if hex.EncodeToString(sum[:16]) != name {
		return nil, fmt.Errorf("job %s is damaged", name)
	}
	var j Job
	if err := cbor.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("job %s: %w", name, err)
	}
	if j.Format != format || j.Chunk < 1 || j.Chunk > maxRows {
		return nil, fmt.Errorf("job %s is of a format that this program does not know", name)
	}
	return &j, nil
}

// chunks is how many a sweep has, span the runs of one.
func (j *Job) chunks(runs int) int { return (runs + j.Chunk - 1) / j.Chunk }

func (j *Job) span(runs, chunk int) (first, n int) {
	first = chunk * j.Chunk
	return first, min(j.Chunk, runs-first)
}

// Subjects and streams.
const root = "copaflash.sweep."

func workStream(job string) string           { return "copaflash-" + job + "-work" }
func resultStream(job string) string         { return "copaflash-" + job + "-results" }
func workSubject(job, chunk string) string   { return root + job + ".work." + chunk }
func jobSubject(job string) string           { return root + job + ".job" }
func resultSubject(job, chunk string) string { return root + job + ".result." + chunk }
func refusedSubject(job string) string       { return root + job + ".refused" }

// jobOf is the job of a work stream; "" if it is none.
func jobOf(stream string) string {
	name, ok := strings.CutPrefix(stream, "copaflash-")
	if !ok {
		return ""
	}
	if name, ok = strings.CutSuffix(name, "-work"); !ok {
		return ""
	}
	return name
}

// lastToken is the chunk that a subject ends with.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
