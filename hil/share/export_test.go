package share

import "github.com/copaflash/copaflash/compiler/device"

// FolderVariable moves the folder of sockets.
const FolderVariable = folderVariable

type (
	Union   = union
	Portion = portion
)

var Unite = unite

func NewPortion(s device.Subscription) *Portion {
	return &portion{every: uint32(s.Every), spans: s.Spans}
}

func (p *portion) Take(u *union, r device.Record) (device.Record, bool) { return p.take(u, r) }
func EveryOf(u *union) int                                              { return u.every }
func SpansOf(u *union) []device.Span                                    { return u.spans }
