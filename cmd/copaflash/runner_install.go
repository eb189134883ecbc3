package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/firmware/local"
)

// Names of what runner install writes.
const (
	runnerName  = "copaflash-runner"
	serviceName = "copaflash-runner.service"
	serviceDir  = "/etc/systemd/system"
)

// installFlags are the flags of runner install.
type installFlags struct {
	arch    string
	to      string
	path    string
	service bool
	local.Service
}

// installResult is what it prints with --json.
type installResult struct {
	document
	Arch    string   `json:"arch"`
	Written []string `json:"written"`
	Next    []string `json:"next"`
}

func runnerInstallCommand(a *app) *cobra.Command {
	var flags installFlags
	c := &cobra.Command{
		Use:   "install",
		Short: "Write the runner for a Linux machine, and a systemd service that starts it",
		Long: `Write the runner for this or another Linux machine into a folder, with --service also a
systemd service, and tell what to do next. Nothing is started, and nothing of the system is
changed.`,
		Example: `  sudo copaflash runner install --to /usr/local/bin --service --cpu 3
  copaflash runner install --to . --service --store /var/lib/copaflash/store
  copaflash runner install --arch armv7a --to . --service --listen serial:/dev/ttyAMA0@921600`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.installRunner(&flags) },
	}
	c.Flags().StringVar(&flags.arch, "arch", "", "architecture of the machine (default: this one's)")
	c.Flags().StringVar(&flags.to, "to", ".", "folder to write to")
	c.Flags().StringVar(&flags.path, "path", "", "where the runner will lie on that machine (default: --to below /usr or /opt, else /usr/local/bin)")
	c.Flags().BoolVar(&flags.service, "service", false, "also write "+serviceName)
	serviceFlags(c, &flags.Service, "unix:/run/copaflash/runner.sock")
	c.Flags().Lookup("priority").DefValue, flags.Priority = "80", 80
	c.Flags().Lookup("lock").DefValue, flags.Lock = "true", true
	return c
}

func (f *installFlags) check() error {
	if hosts := local.HostArchs(); f.arch == "" && len(hosts) > 0 {
		f.arch = hosts[0]
	}
	if f.arch == "" {
		return &failure{Code: exitUsage, Message: "there is no runner for this machine", Hint: "--arch is one of " + strings.Join(images.LinuxArchs(), ", ")}
	}
	if info, err := os.Stat(f.to); err != nil || !info.IsDir() {
		return &failure{Code: exitUsage, Message: f.to + " is not a folder", Hint: "--to is the folder that the runner is written to"}
	}
	if f.path == "" {
		f.path = "/usr/local/bin"
		if to := path.Clean(f.to); strings.HasPrefix(to, "/usr/") || strings.HasPrefix(to, "/opt/") {
			f.path = to
		}
	}
	if !path.IsAbs(f.path) || strings.ContainsAny(f.path, " \t\n\"'\\%$") {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--path %q cannot stand in a service file", f.path), Hint: "it is an absolute folder, without spaces and quotes"}
	}
	if f.Store != "" && !path.IsAbs(f.Store) {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--store %q: a service has no folder of its own", f.Store), Hint: "give an absolute path, such as /var/lib/copaflash/store"}
	}
	return checkService(&f.Service)
}

func (a *app) installRunner(f *installFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	image, err := images.Linux(f.arch)
	if err != nil {
		return &failure{Code: exitUsage, Message: err.Error(), Hint: "copaflash runner lists them"}
	}
	r := &installResult{document: okDocument("runner install"), Arch: f.arch}
	write := func(name string, content []byte, mode os.FileMode) error {
		to := filepath.Join(f.to, name)
		err := errors.New("something that is no file has that name")
		if info, missing := os.Lstat(to); missing != nil || info.Mode().IsRegular() {
			err = replaceFile(to, content, mode) // as a whole: a runner that runs keeps its old one
		}
		if err != nil {
			return &failure{Code: exitUsage, Message: fmt.Sprintf("cannot write %s: %v", to, err), Hint: "name a folder that you may write to with --to"}
		}
		r.Written = append(r.Written, to)
		return nil
	}
	if err := write(runnerName, image, 0o755); err != nil {
		return err
	}
	if f.service {
		if err := write(serviceName, []byte(serviceText(f)), 0o644); err != nil {
			return err
		}
	}
	r.Next = f.next()
	if a.ui.json {
		return a.ui.doc(r)
	}
	for _, name := range r.Written {
		a.ui.out("wrote %s\n", name)
	}
	a.ui.out("next, on that machine:\n")
	for _, step := range r.Next {
		a.ui.out("  %s\n", step)
	}
	return nil
}

// serviceText is the systemd service. The runner confines itself, and its programs even more; what stands here keeps it
// without other rights than those that make ticks punctual.
func serviceText(f *installFlags) string {
	kind, rest, _ := strings.Cut(f.Listen, ":")
	families := map[string]string{"unix": "AF_UNIX", "tcp": "AF_INET AF_INET6", "serial": "none"}[kind]
	needs := needsOf(f.Allow)
	if needs.can {
		families = strings.TrimPrefix(families+" AF_CAN", "none ")
	}
	folder := ""
	if kind == "unix" {
		if dir, ok := strings.CutPrefix(path.Dir(rest), "/run/"); ok {
			folder = "RuntimeDirectory=" + dir + "\nRuntimeDirectoryMode=0750\n"
		}
	}
	store := ""
	switch dir, ok := strings.CutPrefix(path.Dir(f.Store), "/var/lib/"); {
	case ok:
		store = "StateDirectory=" + dir + "\n"
	case f.Store != "":
		store = "ReadWritePaths=" + path.Dir(f.Store) + "\n"
	}
	return `# Written by copaflash runner install.
[Unit]
Description=Copaflash realtime runner
Documentation=https://github.com/copaflash/copaflash

[Service]
ExecStart=` + path.Join(f.path, runnerName) + " " + strings.Join(f.Args(), " ") + `
Restart=always
RestartSec=1

# Who may use serial ports may use the runner.
DynamicUser=yes
Group=dialout
` + needs.lines() + `UMask=0007
` + folder + store + `
# Without these its ticks are late, and it says so.
LimitRTPRIO=99
LimitMEMLOCK=infinity

# Programs are machine code: MemoryDenyWriteExecute must stay off.
NoNewPrivileges=yes
ProtectHome=yes
` + needs.tunables() + `ProtectKernelModules=yes
RestrictAddressFamilies=` + families + `

[Install]
WantedBy=multi-user.target
`
}

// needs are what a service needs for the drivers that it allows.
type needs struct{ gpio, sysfs, can bool }

func needsOf(allow []string) needs {
	var n needs
	for _, name := range allow {
		device, _, _ := strings.Cut(name, "/")
		switch {
		case strings.HasPrefix(device, "gpio"):
			n.gpio = true
		case strings.HasPrefix(device, "iio"), strings.HasPrefix(device, "hwmon"), strings.HasPrefix(device, "pwmchip"):
			n.sysfs = true
		default:
			n.can = true
		}
	}
	return n
}

// lines are the groups that systems like that of a Raspberry Pi give such devices to.
func (n needs) lines() string {
	if n.gpio || n.sysfs {
		return "# Who may use its lines; where the system has no such group, a rule of udev makes one.\nSupplementaryGroups=gpio\n"
	}
	return ""
}

// tunables keeps /sys read-only, unless outputs are files of it.
func (n needs) tunables() string {
	if n.sysfs {
		return ""
	}
	return "ProtectKernelTunables=yes\n"
}

// next are the steps that remain, as commands and remarks.
func (f *installFlags) next() []string {
	var steps []string
	if !strings.HasSuffix(path.Clean(filepath.ToSlash(f.to)), f.path) { // else it is there, maybe on a card that is mounted here
		steps = append(steps, fmt.Sprintf("install -m 755 %s %s", runnerName, path.Join(f.path, runnerName)))
	}
	if f.service {
		steps = append(steps, fmt.Sprintf("install -m 644 %s %s", serviceName, path.Join(serviceDir, serviceName)))
		steps = append(steps, "systemctl daemon-reload && systemctl enable --now "+serviceName, "journalctl -u "+serviceName+"    # what it lacks")
	} else {
		steps = append(steps,
			"setcap cap_sys_nice,cap_ipc_lock+ep "+path.Join(f.path, runnerName)+"    # or LimitRTPRIO and LimitMEMLOCK of a service",
			path.Join(f.path, runnerName)+" "+strings.Join(f.Args(), " "))
	}
	cpu := "N"
	if f.CPU >= 0 {
		cpu = fmt.Sprint(f.CPU)
	}
	steps = append(steps, fmt.Sprintf("add isolcpus=%s nohz_full=%s rcu_nocbs=%s to the kernel's command line, and run it with --cpu %s    # a processor for the ticks alone", cpu, cpu, cpu, cpu),
		`echo 'KERNEL=="cpu_dma_latency", GROUP="dialout", MODE="0660"' >/etc/udev/rules.d/70-copaflash.rules    # no deep sleep between ticks`)
	if !strings.HasPrefix(f.Listen, "serial:") {
		steps = append(steps, "copaflash info --port "+f.Listen)
	}
	return steps
}
