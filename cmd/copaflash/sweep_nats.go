package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/sweep"
	"github.com/copaflash/copaflash/compiler/sweep/cluster"
	"github.com/copaflash/copaflash/compiler/sweep/cluster/embedded"
	"github.com/copaflash/copaflash/internal/release"
)

// natsFlags say how to reach other machines.
type natsFlags struct {
	url     string
	creds   string
	ca      string
	lease   time.Duration
	discard bool
}

// embeddedServer is the URL that stands for a server in this process.
const embeddedServer = "embedded"

// add adds the flags; collects: those of collectors, too.
func (f *natsFlags) add(c *cobra.Command, collects bool) {
	what := "NATS server with JetStream: nats://HOST:PORT, with user and password nats://USER:PASSWORD@HOST, with TLS tls://HOST; several separated by commas"
	if collects {
		what += `; "embedded" or embedded:HOST:PORT starts one here`
		c.Flags().DurationVar(&f.lease, "lease", cluster.DefaultLease, "with --nats: a worker that is silent so long loses its chunk to another one")
		c.Flags().BoolVar(&f.discard, "discard", false, "with --nats: drop what an interrupted command of the same sweep left, instead of going on with it")
	}
	c.Flags().StringVar(&f.url, "nats", "", what)
	c.Flags().StringVar(&f.creds, "creds", "", "file of NATS credentials")
	c.Flags().StringVar(&f.ca, "ca", "", "file of the certificates that sign that of the server (default: those of the system)")
}

// check refuses flags that do not go together.
func (f *natsFlags) check(at *targetFlags) error {
	for flag, given := range map[string]bool{"--creds": f.creds != "", "--ca": f.ca != "", "--discard": f.discard} {
		if given && f.url == "" {
			return &failure{Code: exitUsage, Message: flag + " goes with --nats", Hint: "name the server with --nats URL"}
		}
	}
	if f.lease < 0 || f.lease > 0 && f.lease < time.Second {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--lease %v: workers renew their leases three times in this time, which is at least 1s", f.lease)}
	}
	if f.url != "" && !f.embedded() && (at.Target != "" || at.Port != "") {
		return &failure{Code: exitUsage, Message: "with --nats the workers say where programs run", Hint: "give --target or --port to copaflash sweep worker"}
	}
	return nil
}

func (f *natsFlags) embedded() bool {
	return f.url == embeddedServer || strings.HasPrefix(f.url, embeddedServer+":")
}

// place is the target for the document.
func (f *natsFlags) place(at place) string {
	if f.url == "" || f.embedded() {
		return at.name
	}
	return cluster.Redacted(f.url)
}

func (f *natsFlags) server() cluster.Server {
	return cluster.Server{URL: f.url, Credentials: f.creds, CA: f.ca}
}

// sweepCluster has workers on any machines compute.
func (a *app) sweepCluster(ctx context.Context, file string, at place, f *sweepFlags) (*sweep.Sweep, func(func(sweep.Chunk) error) error, error) {
	g, err := sweptGraph(ctx, file, f)
	if err != nil {
		return nil, nil, err
	}
	job, s, err := cluster.NewJob(ctx, thisRelease(), g, f.fast, f.spec)
	if err != nil {
		return nil, nil, err
	}
	note := func(text string) { a.ui.note("%s", text) }
	return s, func(done func(sweep.Chunk) error) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		c := cluster.Collection{Server: f.nats.server(), Job: job, Lease: f.nats.lease, Discard: f.nats.discard, Note: note, Done: done}
		if f.nats.embedded() {
			end, err := a.startEmbedded(ctx, stop, at, f, &c)
			if err != nil {
				return err
			}
			defer end()
		}
		err := c.Collect(ctx, s)
		if ctx.Err() != nil && !f.nats.embedded() {
			a.ui.note("the workers go on: the same command goes on with what they have, for a week; --discard drops it")
		}
		return err
	}, nil
}

// startEmbedded starts a server and a worker in this process.
func (a *app) startEmbedded(ctx context.Context, stop func(), at place, f *sweepFlags, c *cluster.Collection) (end func(), err error) {
	listen := strings.TrimPrefix(strings.TrimPrefix(f.nats.url, embeddedServer), ":")
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	server, err := embedded.Start(embedded.Options{Listen: listen})
	if err != nil {
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: "for example: --nats embedded:0.0.0.0:4222, for workers of other machines"}
	}
	c.Server = cluster.Server{URL: server.URL()}
	a.ui.note("others may join: copaflash sweep worker --nats %s", server.URL())
	dev, err := a.open(ctx, at)
	if err != nil {
		server.Close()
		return nil, err
	}
	ended := make(chan struct{})
	w := cluster.Work{Server: c.Server, Release: thisRelease(), Name: workerName(), Device: dev, Workers: workersOr(f.workers), Note: func(string) {}}
	go func() {
		defer close(ended)
		_ = w.Run(ctx) // where it refuses the job, the collector says so
	}()
	return func() {
		stop()
		<-ended
		dev.Close()
		server.Close()
	}, nil
}

// thisRelease is that of this program with its commit: workers of another one might have other bits.
func thisRelease() string {
	revision, changed := release.Commit()
	if revision == "" {
		return release.Version
	}
	text := release.Version + " " + revision[:min(12, len(revision))]
	if changed {
		text += " with changes"
	}
	return text
}

func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}

func sweepWorkerCommand(a *app) *cobra.Command {
	var at targetFlags
	var nats natsFlags
	var workers int
	var idle, limit time.Duration
	c := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Compute for the sweeps of other machines",
		Long: `Take chunks of the sweeps that "copaflash sweep --nats URL" has queued, compile their
programs here, run them and send their results, until it is interrupted.

A worker may be started and ended at any time: the chunk that it has goes to
another one. It refuses jobs of another release of copaflash, and those of which a
few known runs give other bits here.`,
		Example: `  copaflash sweep worker --nats nats://server:4222
  copaflash sweep worker --nats tls://server --creds worker.creds --workers 4 --idle 10m`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case nats.url == "":
				return &failure{Code: exitUsage, Message: "sweep worker needs --nats", Hint: "for example: copaflash sweep worker --nats nats://server:4222"}
			case nats.embedded():
				return &failure{Code: exitUsage, Message: "an embedded server is that of copaflash sweep", Hint: "it prints the URL for its workers"}
			case workers < 0 || idle < 0:
				return &failure{Code: exitUsage, Message: "--workers and --idle must not be negative"}
			}
			p, err := at.resolve(c.Context(), a)
			if err != nil {
				return err
			}
			if p.name == "" {
				p.name = "local"
			}
			if p, err = p.limited(limit); err != nil {
				return err
			}
			dev, err := a.open(c.Context(), p)
			if err != nil {
				return err
			}
			defer dev.Close()
			a.ui.note("worker %s, copaflash %s, waits for work at %s", workerName(), thisRelease(), cluster.Redacted(nats.url))
			w := cluster.Work{Server: nats.server(), Release: thisRelease(), Name: workerName(), Device: dev, Workers: workersOr(workers), Idle: idle,
				Note: func(text string) { a.ui.note("%s", text) }}
			if err := w.Run(c.Context()); err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(okDocument("sweep worker"))
			}
			return nil
		},
	}
	at.add(c)
	nats.add(c, false)
	c.Flags().IntVar(&workers, "workers", 0, "workers at a time (default: one for each processor)")
	c.Flags().DurationVar(&idle, "idle", 0, "end after so long without work (default: never)")
	limitFlag(c, &limit)
	return c
}
