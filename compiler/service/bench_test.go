package service_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/service"
	"github.com/copaflash/copaflash/hil/target"
)

// BenchmarkServe is a small run, from a client's request to its answer over two pipes, and how many system
// calls of each kind the service makes for it.
func BenchmarkServe(b *testing.B) {
	for _, name := range []string{target.LocalName, target.SandboxName} {
		for _, c := range []struct{ name, request string }{
			{"scalar", `{"id":7,"do":"run","program":1,"set":{"x":%d},"get":["y"]}`},
			{"array", `{"id":7,"do":"run","program":1,"set":{"x":%d,"k":[1,2]},"get":["k","q","y"]}`},
		} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				dev, err := target.Open(b.Context(), name, target.Options{})
				if err != nil {
					b.Skip("SKIP:", err)
				}
				defer dev.Close()
				in, ask, err := os.Pipe()
				require.NoError(b, err)
				hear, out, err := os.Pipe()
				require.NoError(b, err)
				reads, writes := &calls{File: in}, &calls{File: out}
				ended := make(chan error)
				go func() {
					ended <- service.Serve(b.Context(), reads, writes, service.Options{Target: name,
						Open: func(context.Context) (device.Device, error) { return dev, nil }})
				}()
				answers := bufio.NewReader(hear)
				call := func(request []byte) []byte {
					_, err := ask.Write(request)
					require.NoError(b, err)
					line, err := answers.ReadSlice('\n')
					require.NoError(b, err)
					return line
				}
				call([]byte(loadSample))
				call(fmt.Appendf(nil, c.request+"\n", 1))
				reads.n, writes.n = 0, 0
				var line []byte
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					line = fmt.Appendf(line[:0], c.request+"\n", i%1000)
					if !bytes.Contains(call(line), []byte(`"ok":true`)) {
						b.Fatal("refused")
					}
				}
				b.StopTimer()
				b.ReportMetric(float64(reads.n)/float64(b.N), "reads/op")
				b.ReportMetric(float64(writes.n)/float64(b.N), "writes/op")
				require.NoError(b, ask.Close())
				require.NoError(b, <-ended)
				hear.Close()
				in.Close()
				out.Close()
			})
		}
	}
}

// calls counts the reads and writes of a file.
type calls struct {
	*os.File
	n int
}

func (c *calls) Read(p []byte) (int, error) {
	c.n++
	return c.File.Read(p)
}

func (c *calls) Write(p []byte) (int, error) {
	c.n++
	return c.File.Write(p)
}
