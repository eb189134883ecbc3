//go:build linux

// Command cyclic compares how late ticks of the realtime runner start with how late cyclictest (Debian: rt-tests) wakes up: on the
// same processor, with the same priority and period, in turns.
//
//	go run ./firmware/local/cyclic -time 10m
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

type config struct {
	total, slice, period time.Duration
	priority, cpu        int
}

func main() {
	var c config
	flag.DurationVar(&c.total, "time", time.Minute, "how long each of the two is measured")
	flag.DurationVar(&c.slice, "turn", 5*time.Second, "how long one of their turns is")
	flag.DurationVar(&c.period, "period", time.Millisecond, "from one tick to the next")
	flag.IntVar(&c.priority, "priority", 80, "of SCHED_FIFO")
	flag.IntVar(&c.cpu, "cpu", runtime.NumCPU()-1, "the processor of the ticks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &c); err != nil {
		fmt.Fprintln(os.Stderr, "cyclic:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c *config) error {
	dir, err := os.MkdirTemp("", "cyclic-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := start(ctx, c, dir)
	if err != nil {
		return err
	}
	defer r.close()
	fmt.Printf("%s; load %s; priority %d, processor %d, period %v\n", system(), load(), c.priority, c.cpu, c.period)
	var theirs, ours []float64 // microseconds
	for done := time.Duration(0); done < c.total; done += c.slice {
		some, err := cyclictest(ctx, c)
		if err != nil {
			return err
		}
		theirs = append(theirs, some...)
		if some, err = r.measure(ctx, c); err != nil {
			return err
		}
		ours = append(ours, some...)
	}
	fmt.Printf("load %s at the end\n", load())
	report(theirs, ours)
	return nil
}

// report prints both and their ratio.
func report(theirs, ours []float64) {
	slices.Sort(theirs)
	slices.Sort(ours)
	fmt.Printf("| lateness, us | ticks | p50 | p99 | p99.9 | most |\n|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		all  []float64
	}{{"cyclictest", theirs}, {"runner", ours}} {
		fmt.Printf("| %s | %d | %.1f | %.1f | %.1f | %.1f |\n", row.name, len(row.all),
			quantile(row.all, 0.5), quantile(row.all, 0.99), quantile(row.all, 0.999), row.all[len(row.all)-1])
	}
	fmt.Printf("p99.9 of the runner: %.2f of cyclictest's\n", quantile(ours, 0.999)/quantile(theirs, 0.999))
}

// quantile is the least of the sorted values that so much of them does not exceed.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func system() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Linux %s, %d processors", unix.ByteSliceToString(u.Release[:]), runtime.NumCPU())
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return err.Error()
	}
	return strings.Fields(string(text))[0]
}

// beyond is what cyclictest's histogram counts in nanoseconds, at most; later wake-ups it lists apart, in tick numbers.
const beyond = 1_000_000

// cyclictest runs it for a turn.
func cyclictest(ctx context.Context, c *config) ([]float64, error) {
	out, err := exec.CommandContext(ctx, "cyclictest", "-m", "-q", "-N", "-t", "1",
		"-p", strconv.Itoa(c.priority), "-a", strconv.Itoa(c.cpu), "-i", strconv.FormatInt(c.period.Microseconds(), 10),
		"-h", strconv.Itoa(beyond), "-D", strconv.Itoa(int(c.slice.Seconds()))).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w; Debian has it in rt-tests", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cyclictest: %w", err)
	}
	return histogram(out)
}

// histogram reads what cyclictest has printed. Wake-ups beyond its histogram count as the latest of all.
func histogram(out []byte) (all []float64, err error) {
	var most float64
	missing := 0
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "# Max Latencies:"); ok {
			if most, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
				return nil, fmt.Errorf("cyclictest: %w", err)
			}
		}
		if text, ok := strings.CutPrefix(line, "# Histogram Overflows:"); ok {
			if missing, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
				return nil, fmt.Errorf("cyclictest: %w", err)
			}
		}
		var late, n int
		if strings.HasPrefix(line, "#") {
			continue
		}
		if k, _ := fmt.Sscanf(line, "%d %d", &late, &n); k != 2 {
			continue
		}
		for range n {
			all = append(all, float64(late)/1000)
		}
	}
	for range missing {
		all = append(all, most/1000)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("cyclictest printed no histogram")
	}
	return all, lines.Err()
}

// A runner is one that listens, as a service does.
type runner struct {
	cmd *exec.Cmd
	s   *session.Session
	m   *packet.Image
}

// counting adds 1 to data word 4.
var counting = map[string]struct {
	arch packet.Arch
	code []byte
}{
	"amd64": {packet.ArchX86_64, []byte{0x83, 0x47, 0x10, 1, 0xc3}},
	"arm64": {packet.ArchAarch64, []byte{0x01, 0x10, 0x40, 0xb9, 0x21, 0x04, 0x00, 0x11, 0x01, 0x10, 0x00, 0xb9, 0xc0, 0x03, 0x5f, 0xd6}},
	"arm":   {packet.ArchArmv7a, []byte{0x10, 0x10, 0x90, 0xe5, 0x01, 0x10, 0x81, 0xe2, 0x10, 0x10, 0x80, 0xe5, 0x1e, 0xff, 0x2f, 0xe1}},
}

func start(ctx context.Context, c *config, dir string) (*runner, error) {
	program, ok := counting[runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("no realtime runner for %s", runtime.GOARCH)
	}
	image, err := images.Linux(program.arch.String())
	if err != nil {
		return nil, err
	}
	path, socket := filepath.Join(dir, "runner"), filepath.Join(dir, "socket")
	if err := os.WriteFile(path, image, 0o700); err != nil {
		return nil, err
	}
	r := &runner{
		cmd: exec.CommandContext(ctx, path, "-listen", "unix:"+socket, "-lock",
			"-priority", strconv.Itoa(c.priority), "-cpu", strconv.Itoa(c.cpu)),
		m: &packet.Image{Arch: program.arch, Code: program.code, Data: make([]byte, 64), Entries: []uint32{0}},
	}
	r.cmd.Stderr = os.Stderr
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	var t transport.Transport
	for try := 0; ; try++ {
		if t, err = transport.DialUnix(ctx, socket); err == nil || try == 200 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err == nil {
		r.s, err = session.Open(ctx, t, session.Options{})
	}
	if err == nil {
		_, err = r.s.Load(ctx, r.m, nil)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runner) close() {
	if r.s != nil {
		_ = r.s.Close()
	}
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// measure has the loop run for a turn, and takes the start of each tick from its telemetry.
func (r *runner) measure(ctx context.Context, c *config) (late []float64, err error) {
	period := uint64(c.period) * uint64(r.s.Info().TimerHz) / uint64(time.Second)
	l, err := r.s.StartLoop(ctx, r.m, session.LoopStart{Period: period, Tasks: []session.Task{{Entry: 0, Divisor: 1}}})
	if err != nil {
		return nil, err
	}
	tel, err := l.Subscribe(ctx, []session.Span{{Offset: 16, Length: 4}}, 1)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(c.slice); time.Now().Before(deadline); {
		record, err := tel.Next(ctx)
		if err != nil {
			return nil, err
		}
		if record.Drops != 0 {
			return nil, fmt.Errorf("%d records are lost", record.Drops)
		}
		counts := record.Time - int64(record.Tick)*int64(period)
		late = append(late, float64(counts)*1e6/float64(r.s.Info().TimerHz))
	}
	_, err = l.Stop(ctx)
	return late, err
}
