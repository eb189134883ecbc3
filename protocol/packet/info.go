package packet

// info is what messages.cddl says about one number.
type info struct {
	name string
	doc  string
}
