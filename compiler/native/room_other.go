//go:build (darwin || windows) && (amd64 || arm64)

package native

func mostPrograms() uint32 { return maxPrograms }
