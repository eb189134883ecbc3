// Command pack builds what is released: an archive for each system, with the program,
// its documents and the licences of all that is linked into it; a software bill of
// materials (CycloneDX) for each; and their sums. Equal sources give equal bytes.
//
//	go run ./internal/release/pack -o dist linux/amd64 windows/amd64
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/copaflash/copaflash/internal/release"
)

// documents go into every archive beside the program.
var documents = []string{"README.md", "LICENSE", "SECURITY.md"}

func main() {
	out := flag.String("o", "dist", "folder to write to")
	flag.Parse()
	if err := pack(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(out string, systems []string) error {
	if len(systems) == 0 {
		return fmt.Errorf("name systems, such as linux/amd64")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	when, err := commitTime()
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, system := range systems {
		files, err := packSystem(out, system, when)
		if err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(filepath.Join(out, f))
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), f)
			fmt.Printf("%s, %d bytes\n", filepath.Join(out, f), len(data))
		}
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// packSystem makes the archive and the bill of materials of one system.
func packSystem(out, system string, when time.Time) ([]string, error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return nil, fmt.Errorf("a system is written as linux/amd64")
	}
	dir, err := os.MkdirTemp("", "copaflash-pack-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := "copaflash"
	if goos == "windows" {
		program += ".exe"
	}
	bin := filepath.Join(dir, program)
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", bin, "./cmd/copaflash")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		return nil, err
	}
	parts, err := modules(info)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("copaflash-%s-%s-%s", release.Version, goos, goarch)
	files := []file{{name: program, mode: 0o755}}
	if files[0].data, err = os.ReadFile(bin); err != nil {
		return nil, err
	}
	for _, d := range documents {
		data, err := os.ReadFile(d)
		if err != nil {
			return nil, err
		}
		files = append(files, file{d, 0o644, data})
	}
	files = append(files, file{"NOTICES.txt", 0o644, notices(parts)})
	archive, suffix := tarGz, ".tar.gz"
	if goos == "windows" {
		archive, suffix = zipped, ".zip"
	}
	data, err := archive(name, files, when)
	if err != nil {
		return nil, err
	}
	bom, err := billOfMaterials(parts, when)
	if err != nil {
		return nil, err
	}
	made := []string{name + suffix, name + ".cdx.json"}
	for i, b := range [][]byte{data, bom} {
		if err := os.WriteFile(filepath.Join(out, made[i]), b, 0o644); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// module is something that is linked into the program.
type module struct {
	path, version, sum string
	licence            []byte // text
}

// modules lists what a program was linked from, with its licences: the standard library
// first, then the modules by name. One without a licence is an error.
func modules(info *debug.BuildInfo) ([]module, error) {
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std := module{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}
	if std.licence, err = licence(root); err != nil {
		return nil, err
	}
	list := []module{std}
	for _, d := range info.Deps {
		dir, err := output("go", "list", "-m", "-f", "{{.Dir}}", d.Path)
		if err != nil {
			return nil, err
		}
		m := module{path: d.Path, version: d.Version, sum: d.Sum}
		if m.licence, err = licence(dir); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// licence reads the licence, and the notice if there is one, in the folder of a module.
func licence(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, kind := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"} {
		i := slices.IndexFunc(entries, func(e os.DirEntry) bool {
			return !e.IsDir() && strings.HasPrefix(strings.ToUpper(e.Name()), kind)
		})
		if i < 0 {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, entries[i].Name()))
		if err != nil {
			return nil, err
		}
		text = append(append(text, bytes.TrimSpace(b)...), "\n\n"...)
	}
	if text == nil {
		return nil, fmt.Errorf("no licence in %s", dir)
	}
	return text, nil
}

// notices is the text by which the licences of others are passed on.
func notices(parts []module) []byte {
	var b bytes.Buffer
	b.WriteString("copaflash contains the following software of others, under their licences.\n\n")
	for _, m := range parts {
		fmt.Fprintf(&b, "%s\n%s %s\n\n%s", strings.Repeat("=", 72), m.path, m.version, m.licence)
	}
	return b.Bytes()
}

// commitTime is that of the sources, which all files get.
func commitTime() (time.Time, error) {
	text, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

func output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}
