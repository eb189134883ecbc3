//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler/image"
)

// shortCall is how many instructions a program may carry out while the collector waits for it. They take
// 1 to 7 us, to which the 10 to 60 ns of a system call add little; see BenchmarkThreshold.
const shortCall = 20_000

// What Program.lock says, which call takes and gives back.
const (
	idle uintptr = iota
	running
	closed
)

// What call returns.
const (
	returned uint8 = iota
	faulted        // and the lock is still taken
	refused        // by the lock
)

// Program is a program that can be called. It has one data block and one stack, so it is for one
// goroutine at a time: load it once for each that calls it. A program that is
// forgotten is closed by the collector.
type Program struct {
	lock               uintptr
	entry, base, stack uintptr
	slot               *slot
	gate               uintptr
	long               bool
	memory             *memory
	instructions       uint64
	cleanup            runtime.Cleanup
	_                  [40]byte // to 128: no other Program lies in the cache line of the lock
}

// Load copies a program into memory, applies its patches and makes its code executable.
// The error wraps ErrUnsupported where the program was read from a file or is for other processors, the
// system allows no new code or there is no memory for it.
func Load(m *image.Image) (*Program, error) {
	if m.Decoded() {
		return nil, fmt.Errorf("native: an image from a file, whose code may do anything: run it by the target local:sandbox: %w", ErrUnsupported)
	}
	if m.Arch != Arch {
		return nil, fmt.Errorf("native: a program for %s: %w", m.Arch, ErrUnsupported)
	}
	if lacks := m.Features &^ Features(); lacks != 0 {
		return nil, fmt.Errorf("native: the processor lacks %v: %w", lacks, ErrUnsupported)
	}
	if m.Budget.StackBytes > stackSize/2 {
		return nil, fmt.Errorf("native: a stack of %d bytes: %w", m.Budget.StackBytes, ErrUnsupported)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	mem, err := place(m)
	if errors.Is(err, ErrUnsupported) && loaded.Load() > 0 {
		runtime.GC() // programs that nobody has any more make room, soon
		for range 10 {
			time.Sleep(10 * time.Millisecond)
			if mem, err = place(m); !errors.Is(err, ErrUnsupported) {
				break
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	p := &Program{
		gate: address(mem.text), entry: mem.code() + uintptr(m.Entries[0].Offset), base: address(mem.data), stack: mem.stack,
		slot: mem.slot, memory: mem, instructions: m.Budget.Instructions, long: m.Budget.Instructions > shortCall,
	}
	p.cleanup = runtime.AddCleanup(p, func(mem *memory) { _ = mem.release() }, mem)
	return p, nil
}

// Data is the data block, with symbols at their offsets, in the byte order of this machine; nil after
// Close. The collector knows nothing of this memory: nobody may touch it during a run, after Close, or when the
// Program itself is not reachable any more.
func (p *Program) Data() []byte {
	if atomic.LoadUintptr(&p.lock) == closed {
		return nil
	}
	return p.memory.data
}

// Instructions is a bound on the instructions of a run, of which a processor carries out some 3000 to 20 000
// in a microsecond. Nothing ends a run early, so whoever wants a limit of time runs
// a program of very many, say 100 million, in a process of its own.
func (p *Program) Instructions() uint64 { return p.instructions }

// Run runs the program once. The error is ErrClosed, ErrRunning or, where GuardFaults guards this process, a
// *Fault, after which the program can be run again, with the data as the fault has left them. Elsewhere a
// fault ends the process.
func (p *Program) Run() error {
	var status uint8
	if p.long {
		status = callLong(p)
	} else {
		status = call(p)
	}
	if status != returned {
		return p.failed(status)
	}
	runtime.KeepAlive(p)
	return nil
}

// RunEntry is Run of one of the image's entries.
func (p *Program) RunEntry(i int) error {
	p.enter(i)
	err := p.Run()
	p.enter(0)
	return err
}

// enter makes an entry the one that runs.
func (p *Program) enter(i int) {
	atomic.StoreUintptr(&p.entry, p.memory.code()+uintptr(p.memory.image.Entries[i].Offset))
}

func (p *Program) failed(status uint8) error {
	if status == refused {
		if atomic.LoadUintptr(&p.lock) == closed {
			return ErrClosed
		}
		return ErrRunning
	}
	err := p.memory.fault(p.slot)
	atomic.StoreUintptr(&p.lock, idle)
	return err
}

// Renew gives the data block the contents that it had after Load, constants included, which a fault may have
// spoiled. The error is ErrClosed or ErrRunning.
func (p *Program) Renew() error {
	if !atomic.CompareAndSwapUintptr(&p.lock, idle, running) {
		return p.failed(refused)
	}
	defer atomic.StoreUintptr(&p.lock, idle)
	clear(p.memory.data)
	return p.memory.write(make([]byte, len(p.memory.image.Code)))
}

// Close gives the memory back. While the program runs, in another goroutine, it refuses with ErrRunning.
func (p *Program) Close() error {
	if !atomic.CompareAndSwapUintptr(&p.lock, idle, closed) {
		if atomic.LoadUintptr(&p.lock) == closed {
			return nil
		}
		return ErrRunning
	}
	p.cleanup.Stop()
	return p.memory.release()
}
