// Package firmware embeds the sources of the runners of boards, so that a runner with a driver of one's own can be built
// without a checkout. Those of a board itself are in package boards.
package firmware

import "embed"

// Sources are the files, below firmware in the repository.
//
//go:embed arch chip core drivers hal platform services
var Sources embed.FS
