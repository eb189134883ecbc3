package main

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/internal/release"
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

// runnerOfThis is how the runners that this program carries name themselves.
const runnerOfThis = "copaflash " + release.Version

func (a *app) showVersion() error {
	v := struct {
		document
		Release  string   `json:"release"`
		Revision string   `json:"revision,omitempty"` // the commit it was built from
		Changed  bool     `json:"changed,omitempty"`  // with changes that are in no commit
		Go       string   `json:"go"`
		Protocol int      `json:"protocol"`
		Image    int      `json:"image"`
		Firmware string   `json:"firmware"` // as info shows it of a board that was flashed with this program
		Archs    []string `json:"archs"`
	}{document: okDocument("version"), Release: release.Version, Go: runtime.Version(), Protocol: packet.ProtocolVersion,
		Image: image.Version, Firmware: runnerOfThis, Archs: stencils.Archs()}
	v.Revision, v.Changed = release.Commit()
	if a.ui.json {
		return a.ui.doc(v)
	}
	commit := ""
	if v.Revision != "" {
		commit = "commit " + v.Revision[:min(12, len(v.Revision))]
		if v.Changed {
			commit += " with changes"
		}
		commit += ", "
	}
	a.ui.out("copaflash %s (%s%s %s/%s)\n", v.Release, commit, v.Go, runtime.GOOS, runtime.GOARCH)
	a.ui.out("runners %s, protocol %d, image format %d\n", v.Firmware, v.Protocol, v.Image)
	a.ui.out("architectures %s\n", strings.Join(v.Archs, ", "))
	return nil
}
