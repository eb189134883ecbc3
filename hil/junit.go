package hil

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The parts of a JUnit report that CI systems read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes the report as JUnit XML.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "copaflash hil on " + r.Target, Tests: len(r.Results), Failures: r.Failed, Skipped: r.NotSent}
	total := 0.0
	for _, c := range r.Results {
		total += c.Elapsed.Seconds()
		j := junitCase{Name: c.Name, Class: "hil." + strings.NewReplacer(":", "_", "/", "_", ".", "_").Replace(r.Target),
			Seconds: fmt.Sprintf("%.3f", c.Elapsed.Seconds())}
		var out strings.Builder
		out.WriteString(c.Stdout)
		for i, p := range c.Programs {
			fmt.Fprintf(&out, "program %d: %d runs, min %d ns, mean %.0f ns, p50 %d ns, p99 %d ns, max %d ns\n",
				i+1, p.Time.Runs, p.Time.Min, p.Time.Mean, p.Time.P50, p.Time.P99, p.Time.Max)
		}
		j.Output = out.String()
		switch {
		case c.OK:
		case c.NotSent != "":
			j.Skipped = &junitSkipped{Message: c.NotSent}
		default:
			j.Failure = &junitFailure{Message: c.Failures[0], Text: strings.Join(c.Failures, "\n")}
		}
		s.Cases = append(s.Cases, j)
	}
	s.Seconds = fmt.Sprintf("%.3f", total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
