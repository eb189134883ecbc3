package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, its formats and architectures",
		Example: "  copaflash version\n  copaflash version --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.showVersion() },
	}
}

func (a *app) showVersion() error {
	v := struct {
		document
		Release  string   `json:"release"`
		Revision string   `json:"revision,omitempty"`
		Go       string   `json:"go"`
		Protocol int      `json:"protocol"`
		Image    int      `json:"image"`
		Archs    []string `json:"archs"`
	}{okDocument("version"), "(devel)", "", runtime.Version(), packet.ProtocolVersion, image.Version, stencils.Archs()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v.Release = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	if a.ui.json {
		return a.ui.doc(v)
	}
	a.ui.out("copaflash %s (%s %s/%s)\n", v.Release, v.Go, runtime.GOOS, runtime.GOARCH)
	a.ui.out("protocol %d, image format %d, architectures %v\n", v.Protocol, v.Image, v.Archs)
	return nil
}
