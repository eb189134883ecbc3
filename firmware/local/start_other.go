//go:build !linux

package local

import "context"

// Start returns ErrUnsupported on this system.
func Start(context.Context) (*Runner, error) { return nil, ErrUnsupported }

// StartArch returns ErrUnsupported on this system.
func StartArch(context.Context, string) (*Runner, error) { return nil, ErrUnsupported }

// StartUnder returns ErrUnsupported on this system.
func StartUnder(context.Context, string, string, ...string) (*Runner, error) {
	return nil, ErrUnsupported
}
