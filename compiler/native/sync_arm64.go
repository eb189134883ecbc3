//go:build linux || darwin

package native

// syncCode makes what was written visible to the fetching of instructions, on all cores.
func syncCode(start, end uintptr) error {
	flush(start, end)
	return nil
}

func flush(start, end uintptr)
