//go:build !unix

package files

// nonblock: there are no FIFOs in folders here.
const nonblock = 0
