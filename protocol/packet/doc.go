// Package packet holds the messages of the Copaflash wire protocol as Go
// values, and their encoding: one deterministic CBOR map with integer keys per
// message (RFC 8949, section 4.2).
//
// The numbers come from protocol/messages.cddl through the generator in
// protocol/gen. protocol/SPEC.md says what a message means and when it may be
// sent. The messages of a load carry an [Image]. The package knows neither frames
// nor links; it must not import frame, transport or session.
package packet

// info is what messages.cddl says about one number.
type info struct {
	name string
	doc  string
}
