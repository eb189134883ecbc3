package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/service"
	"github.com/copaflash/copaflash/hil/target"
)

func serveCommand(a *app) *cobra.Command {
	var flags targetFlags
	var stdio, fast bool
	c := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Let a program in another language drive the compiler and a target",
		Long: `Read requests from stdin, one JSON object per line, and answer each with one line on
stdout: load graphs, run them with different inputs, differentiate and compile them,
in one process. The requests are described in docs/serve.md, the graphs in
docs/graph-file.md; examples/serve_client.py is a client.

Programs run on this machine, inside copaflash itself as with run, unless --target
or --port names another place, which is opened when it is first needed.
Diagnostics go to stderr.`,
		Example: `  echo '{"id":1,"do":"hello"}' | copaflash serve --stdio
  python3 examples/serve_client.py copaflash serve --stdio --target qemu:rpi3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !stdio {
				return &failure{Code: exitUsage, Message: "serve needs --stdio, its only interface", Hint: "copaflash serve --stdio"}
			}
			at, err := flags.settle() // a name that is none is answered to the first request that needs a target
			if err != nil {
				return err
			}
			switch at.name {
			case "":
				at.name = target.LocalName
			case autoPort:
				if at.name, err = a.findPort(c.Context(), true); err != nil {
					return err
				}
			}
			d := lazyTarget{app: a, at: at}
			defer d.close()
			return service.Serve(c.Context(), os.Stdin, a.ui.plain, service.Options{
				Target: at.name, Open: d.open, Fast: fast, ReadFile: bind.ReadFile,
				Plant: func(file string) (*compiler.Program, error) { return compilePlant(c.Context(), file) },
				Explain: func(err error) (int, string) {
					f := classify(err)
					return int(f.Code), f.Hint
				},
			})
		},
	}
	flags.add(c)
	fastFlag(c, &fast)
	c.Flags().BoolVar(&stdio, "stdio", false, "requests on stdin, answers on stdout")
	return c
}
