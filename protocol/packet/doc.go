// Package packet holds the messages of the Copaflash wire protocol as Go
// values, and their encoding: one deterministic CBOR map with integer keys per
// message (RFC 8949, section 4.2).
//
// The numbers come from protocol/messages.cddl through the generator in
// protocol/gen. What a message means and when it may be sent is in
// protocol/SPEC.md. The package knows neither frames nor links; it must not
// import frame, transport or session.
package packet

import "fmt"

// info is what messages.cddl says about one number.
type info struct {
	name string
	doc  string
}

// String lists the names of the features set, separated by commas; bits that
// messages.cddl does not name are listed by number.
func (f Features) String() string {
	text := ""
	for bit := range 64 {
		v := Features(1) << bit
		if f&v == 0 {
			continue
		}
		if text != "" {
			text += ","
		}
		if i, ok := featuresInfo[v]; ok {
			text += i.name
		} else {
			text += fmt.Sprintf("feature%d", bit)
		}
	}
	return text
}
