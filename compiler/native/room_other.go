//go:build (darwin || windows) && (amd64 || arm64)

package native

const mostPrograms = maxPrograms
