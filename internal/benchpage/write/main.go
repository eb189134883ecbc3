// Command write makes docs/benchmarks.md and docs/benchmarks.svg: see package benchpage.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/copaflash/copaflash/internal/benchpage"
)

func main() {
	folder := flag.String("o", "docs", "the `folder` for the page")
	d := flag.Duration("time", 50*time.Second, "how long to measure, about")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *folder, *d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(ctx context.Context, folder string, d time.Duration) error {
	page, err := benchpage.Run(ctx, d)
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := page.WriteSVG(&svg); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, benchpage.Plot), svg.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "benchmarks.md"), []byte(page.Markdown()), 0o644)
}
