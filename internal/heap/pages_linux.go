//go:build amd64 || arm64

package heap

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Sizes on processors with pages of 4 KB; on others the advice is in vain. The heap grows by multiples of
// growth, at addresses that are multiples of it.
const (
	huge   = 2 << 20
	growth = 4 << 20
)

// Advice to madvise(2): huge pages for what is touched from now on, and one in place of the pages that are there.
const (
	adviseHuge     = 14
	adviseCollapse = 25
)

// The inits of packages, most of which follow, allocate most of what a small command does.
func init() { here() }

var object atomic.Pointer[byte] // so that it is on the heap

// allocate returns the address of fresh memory, which the next collection frees.
func allocate(size int) uintptr {
	object.Store(unsafe.SliceData(make([]byte, size)))
	at := uintptr(unsafe.Pointer(object.Load()))
	object.Store(nil)
	return at
}

// here has huge pages where the heap grows at present, to the end of its addresses.
func here() {
	const behindSmallObjects = 40 << 10
	at := allocate(behindSmallObjects)
	advise(at&^(growth-1), growth, adviseHuge)
	advise(at&^(huge-1), huge, adviseCollapse)
}

// ahead makes the heap larger by memory that is not touched, and frees it for the heap to grow into. No
// collection begins in between: it would keep the memory to the next.
func ahead() {
	debug.SetGCPercent(-1)
	advise(allocate(large), large, adviseHuge)
	runtime.GC()
}

// advise ignores errors: it is about time only. The range is of whole pages.
func advise(at, size, advice uintptr) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, at, size, advice)
}
