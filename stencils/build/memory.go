package main

import (
	"regexp"
	"strings"

	"github.com/copaflash/copaflash/stencils"
)

// fromMemory are the forms of a job that take a source from memory, by how far they reach.
func (j *job) fromMemory(source int) (forms []job) {
	h := &j.arch.Offset
	_, sources, _ := strings.Cut(j.row.pattern, "=")
	load := map[byte]string{'F': "ld_f32", 'I': "ld_i32", 'D': "ld_f64"}[sources[source]]
	form := func(offset string, reach int32, sampled bool) {
		m := *j
		m.text = regexp.MustCompile(`\b`+operandNames[source+1]+`\b`).ReplaceAllString(j.text, load+"(base, "+offset+")")
		m.out.Form, m.out.Src[source] = formMem, uint8(stencils.None)
		m.setOffset(h)
		if m.sampled = sampled; reach != 0 {
			m.out.MaxDirect = reach
		}
		forms = append(forms, m)
	}
	form("OFF", 0, !h.Symbolic)
	if h.MaxMid > h.MaxDirect {
		form("words_in_bytes((OFF) >> 2)", h.MaxMid, true)
	}
	if !h.Symbolic {
		form("hole32()", h.Max, false)
	}
	return forms
}

// ofEveryKey is a variant of every operand key.
func (j *job) ofEveryKey(list []variant) (of []variant) {
	seen := map[uint32]bool{}
	for _, v := range list {
		if k := j.key(v); !seen[k] {
			seen[k] = true
			of = append(of, v)
		}
	}
	return of
}
