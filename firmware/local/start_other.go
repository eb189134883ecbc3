//go:build !linux

package local

import "context"

// Start returns ErrUnsupported on this system.
func Start(context.Context) (*Runner, error) { return nil, ErrUnsupported }

// StartAllowed returns ErrUnsupported on this system.
func StartAllowed(context.Context, []string) (*Runner, error) { return nil, ErrUnsupported }

// StartArch returns ErrUnsupported on this system.
func StartArch(context.Context, string) (*Runner, error) { return nil, ErrUnsupported }

// StartUnder returns ErrUnsupported on this system.
func StartUnder(context.Context, string, string, ...string) (*Runner, error) {
	return nil, ErrUnsupported
}

// HostArchs lists nothing on this system.
func HostArchs() []string { return nil }

// Serve returns ErrUnsupported on this system.
func Serve(context.Context, Service, func(string)) error { return ErrUnsupported }
