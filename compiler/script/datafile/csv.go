package datafile

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Csv decodes a table of numbers with commas between them. Empty cells are NaN, lines that
// begin with # are passed over. The names are those of a first row without numbers, or nil.
// Columns are ints where all cells are.
func Csv(file []byte) (names []string, columns []*Array, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	r.Comment, r.TrimLeadingSpace = '#', true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	line := 1
	if len(rows) > 0 && isHeader(rows[0]) {
		names, rows = rows[0], rows[1:]
		line++
	}
	if len(rows) == 0 {
		return names, nil, fmt.Errorf("there is no row of numbers")
	}
	if int64(len(rows))*int64(len(rows[0])) > MaxElements {
		return nil, nil, fmt.Errorf("at most %d elements are supported", MaxElements)
	}
	for k := range rows[0] {
		a := &Array{Shape: []int{len(rows)}, Floats: make([]float64, len(rows)), Ints: make([]int64, len(rows))}
		for i, row := range rows {
			cell := strings.TrimSpace(row[k])
			if a.Ints != nil {
				if a.Ints[i], err = strconv.ParseInt(cell, 10, 64); err != nil {
					a.Ints = nil
				}
			}
			if a.Floats[i], err = strconv.ParseFloat(cell, 64); cell == "" {
				a.Floats[i] = math.NaN()
			} else if err != nil && !math.IsInf(a.Floats[i], 0) {
				return nil, nil, fmt.Errorf("row %d, column %d: %q is not a number", i+line, k+1, cell)
			}
		}
		if a.Ints != nil {
			a.Floats = nil
		}
		columns = append(columns, a)
	}
	return names, columns, nil
}

// isHeader tells a row that names columns: none of its cells is a number.
func isHeader(row []string) bool {
	for _, cell := range row {
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil || strings.TrimSpace(cell) == "" {
			return false
		}
	}
	return true
}
