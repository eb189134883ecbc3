// Package chip embeds what is known of the registers and pins of chips: one
// chip.json per folder, beside the C of the runner. Package boards/chips reads them.
package chip

import "embed"

// Files has <chip>/chip.json for each chip with channels.
//
//go:embed */chip.json
var Files embed.FS
