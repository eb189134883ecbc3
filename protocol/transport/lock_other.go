//go:build !(linux || darwin || freebsd || openbsd)

package transport

// A portLock does nothing where the system itself opens a port only once.
type portLock struct{}

func lockPort(string) (portLock, error) { return portLock{}, nil }

func (portLock) release() {}
