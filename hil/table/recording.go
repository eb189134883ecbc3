package table

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
)

// FromRecording is the table of a recording.
func FromRecording(r *record.Recording) (*Table, error) {
	symbols := make([]*image.Symbol, len(r.Variables))
	for i := range r.Variables {
		symbols[i] = &r.Variables[i]
	}
	to := NewRecorder(symbols, r.Period)
	for i, rec := range r.Records {
		if err := to.Add(rec); err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
	}
	return to.Table(), nil
}
