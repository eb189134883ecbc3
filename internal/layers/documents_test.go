package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root     = "../../"
	design   = "DESIGN.md"
	maxBytes = 25_000
	maxLine  = 112 // characters; a row of a table cannot be wrapped
	maxRow   = 240
)

// documents are the pages whose paths, links and names are held against the tree.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "protocol/*.md", "firmware/*.md", "stencils/*.md"} {
		files, err := filepath.Glob(root + pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts[filepath.ToSlash(strings.TrimPrefix(file, root))] = string(text)
		}
	}
	require.Greater(t, len(texts), 15)
	return texts
}

func TestDesignIsShort(t *testing.T) {
	text := documents(t)[design]
	require.NotEmpty(t, text)
	assert.Less(t, len(text), maxBytes, "measurements belong to docs/measured.md, a manual's matter to docs/")
	n := 0
	for line := range strings.Lines(text) {
		n++
		limit := maxLine
		if strings.HasPrefix(line, "|") {
			limit = maxRow
		}
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), limit, "line %d", n)
	}
}

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	picture     = regexp.MustCompile(`(?m)^ +(?:->|~~>) +(\S+)`)
	placeholder = regexp.MustCompile(`<[a-z]+>`)
	mdLink      = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	fence       = regexp.MustCompile("(?s)```.*?```")
)

// repositoryPath tells whether a code span names a path of this repository: one
// whose first part is a folder of it. Placeholders in angle brackets match anything.
func repositoryPath(span string, top []string) (glob string, ok bool) {
	span = strings.TrimPrefix(span, "./")
	first, _, nested := strings.Cut(span, "/")
	if !nested || !slices.Contains(top, first) || strings.ContainsAny(span, " {}()\"=$") {
		return "", false
	}
	return strings.TrimSuffix(placeholder.ReplaceAllString(span, "*"), "/"), true
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(root + dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != "dist" {
			names = append(names, e.Name())
		}
	}
	return names
}

// invented is the board of the example in firmware/PORTING.md.
const invented = "desk"

// TestPathsExist looks for every path that a document names in a code span, and for
// the packages in the picture of DESIGN.md.
func TestPathsExist(t *testing.T) {
	top := folders(t, "")
	checked := 0
	look := func(file, span string) {
		glob, ok := repositoryPath(span, top)
		if !ok || strings.Contains(glob, "/"+invented) {
			return
		}
		found, err := filepath.Glob(root + glob)
		require.NoError(t, err, "%s: %s", file, span)
		assert.NotEmpty(t, found, "%s names %s, which is not there", file, span)
		checked++
	}
	for file, text := range documents(t) {
		for _, m := range codeSpan.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			look(file, m[1])
		}
		if file == design {
			for _, m := range picture.FindAllStringSubmatch(text, -1) {
				look(file, m[1])
			}
		}
	}
	require.Greater(t, checked, 100)
}

// TestFoldersAreDescribed: whoever adds a folder says in DESIGN.md what it is for.
func TestFoldersAreDescribed(t *testing.T) {
	text := documents(t)[design]
	named := map[string]bool{}
	_, table, found := strings.Cut(text, "\n| folder | what |\n|---|---|\n")
	require.True(t, found)
	for line := range strings.Lines(table) {
		cell, _, row := strings.Cut(strings.TrimPrefix(line, "|"), " | ")
		if !row {
			break
		}
		for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
			named[m[1]] = true
		}
	}
	for _, dir := range folders(t, "") {
		if dir != "cmd" { // its only folder has a row
			assert.True(t, named[dir] || hasBelow(named, dir), "%s has no row in the table of folders", dir)
		}
	}
	for _, dir := range []string{"cmd", "compiler", "stencils", "protocol", "firmware", "hil", "internal"} {
		for _, sub := range folders(t, dir) {
			if sub == "testdata" {
				continue
			}
			assert.True(t, named[dir+"/"+sub], "%s/%s has no row in the table of folders", dir, sub)
		}
	}
}

func hasBelow(named map[string]bool, dir string) bool {
	for n := range named {
		if strings.HasPrefix(n, dir+"/") {
			return true
		}
	}
	return false
}

// TestLinksLead follows every relative link of the documents.
func TestLinksLead(t *testing.T) {
	checked := 0
	for file, text := range documents(t) {
		for _, m := range mdLink.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(root, filepath.Dir(file), m[1]))
			assert.NoError(t, err, "%s: link to %s", file, m[1])
			checked++
		}
	}
	require.Greater(t, checked, 50)
}

// TestNamedTestsExist: a figure or a claim names the test or benchmark behind it.
func TestNamedTestsExist(t *testing.T) {
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			declared[m[1]] = true
		}
		return err
	}))
	named := regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)`")
	checked := 0
	for file, text := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			assert.True(t, declared[m[1]], "%s names %s, which is not there", file, m[1])
			checked++
		}
	}
	require.Greater(t, checked, 10)
}

// TestMakeTargetsExist: every `make NAME` and `make -C FOLDER NAME` of the documents.
func TestMakeTargetsExist(t *testing.T) {
	command := regexp.MustCompile("(?:`|^    )make (?:-C (\\S+) )?([a-z][a-z0-9-]*)")
	command.Longest()
	checked := 0
	for file, text := range documents(t) {
		for line := range strings.Lines(text) {
			for _, m := range command.FindAllStringSubmatch(line, -1) {
				makefile, err := os.ReadFile(filepath.Join(root, m[1], "Makefile"))
				if assert.NoError(t, err, "%s: make -C %s", file, m[1]) {
					assert.Regexp(t, `(?m)^`+m[2]+`:`, string(makefile), "%s: %s", file, m[0])
				}
				checked++
			}
		}
	}
	require.Greater(t, checked, 10)
}

// TestVariablesExist: what documents tell users to set is read by something.
func TestVariablesExist(t *testing.T) {
	variable := regexp.MustCompile(`COPAFLASH_[A-Z_]+`)
	read := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, v := range variable.FindAllString(string(text), -1) {
			read[v] = true
		}
		return err
	}))
	checked := 0
	for file, text := range documents(t) {
		for _, v := range variable.FindAllString(text, -1) {
			assert.True(t, read[v], "%s names %s, which no program reads", file, v)
			checked++
		}
	}
	require.Greater(t, checked, 5)
}

// facts are statements of DESIGN.md with the lines of the sources that make them true:
// whoever changes one changes the other.
var facts = []struct{ says, files, source string }{
	{"A run is limited to 10 s", "protocol/messages.cddl", `(?m)^run-limit-s = 10\b`},
	{"ends after eight times its patience", "protocol/session/*.go", `\brenewals += 8\n`},
	{"a seccomp filter leaves it seven system calls", "firmware/host/filter.c", `(?s)void cf_host_filter_child\(void\) \{[^}]*?FROM_THE_TEXT,\n(?:\s+ALLOW_[^\n]*\n){7}\s+RETURN`},
	{"short (80 nodes)", "compiler/passes.go", `UnrollAuto: 80\b`},
	{"8-lane tree", "compiler/eval/array.go", `const lanes = 8\n`},
	{"8-lane tree", "compiler/internal/lower/reduce.go", `const lanes = 8\n`},
	{"from -8 to 8 by multiplication", "compiler/graph/pow.go", `const mostFactors = 8\n`},
	{"NaN is 0x7fc00000", "compiler/graph/dtype.go", `\buint32 += 0x7fc00000\n`},
	{"`-ffp-contract=off`", "stencils/arch/*.json", `"flag": "-ffp-contract=off"`},
	{"States: idle, loading, ready, running, faulted, ticking.", "protocol/messages.cddl", `(?m)^  idle: 0,[^\n]*\n  loading: 1,[^\n]*\n  ready: 2,[^\n]*\n  running: 3,[^\n]*\n  faulted: 4,[^\n]*\n  ticking: 5\b`},
	{"SHA-256 over all of it", "protocol/IMAGE.md", `SHA-256`},
	{"locked on the device itself (flock)", "protocol/transport/lock_unix.go", `unix\.Flock\(`},
}

func TestFactsOfTheDesign(t *testing.T) {
	text := strings.Join(strings.Fields(documents(t)[design]), " ")
	for _, f := range facts {
		assert.Contains(t, text, f.says)
		files, err := filepath.Glob(root + f.files)
		require.NoError(t, err)
		matches := 0
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			if regexp.MustCompile(f.source).Match(source) {
				matches++
			}
		}
		want := 1
		if filepath.Ext(f.files) == ".json" { // of every architecture
			want = len(files)
		}
		assert.Positive(t, want, "%s: no file", f.files)
		assert.GreaterOrEqual(t, matches, want, "%q is not what %s says", f.says, f.files)
	}
}
