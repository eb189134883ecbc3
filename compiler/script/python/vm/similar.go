package vm

import (
	"slices"
	"strings"
)

// Similar returns the name that is most like a misspelt one, or "".
func Similar(name string, candidates []string) string {
	best, bestCost := "", max(len(name)/3, 1)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == name || len(c) < 2 || c[0] == '_' && name[0] != '_' || len(c) > 40 || len(name) > 40 {
			continue
		}
		// At the same cost a name that was only written on is likelier: sinn is sin.
		cost := editDistance(name, c)
		if cost < len(name) && (cost < bestCost || cost == bestCost && best != "" && strings.HasPrefix(name, c) && !strings.HasPrefix(name, best)) {
			best, bestCost = c, cost
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
