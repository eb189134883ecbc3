//go:build !unix

package main

// othersWrite cannot be told by mode bits here.
func othersWrite(string) bool { return false }
