package pylib

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// fieldPatterns are what directives of strptime stand for, as regular expressions. Those of
// names are put in when a format is read.
var fieldPatterns = map[byte]string{
	'd': `3[01]|[12]\d|0[1-9]|[1-9]| [1-9]`, 'f': `\d{1,6}`, 'H': `2[0-3]|[01]\d|\d`, 'I': `1[0-2]|0[1-9]|[1-9]`, 'G': `\d{4}`,
	'j': `36[0-6]|3[0-5]\d|[12]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]`, 'm': `1[0-2]|0[1-9]|[1-9]`, 'M': `[0-5]\d|\d`,
	'S': `6[01]|[0-5]\d|\d`, 'U': `5[0-3]|[0-4]\d|\d`, 'W': `5[0-3]|[0-4]\d|\d`, 'V': `5[0-3]|0[1-9]|[1-4]\d|\d`,
	'w': `[0-6]`, 'u': `[1-7]`, 'y': `\d\d`, 'Y': `\d{4}`, 'p': `am|pm`,
	'z': `[+-]\d\d:?[0-5]\d(?::?[0-5]\d(?:\.\d{1,6})?)?|(?-i:Z)`,
	'a': names(0, 7, weekdayName, 3), 'A': names(0, 7, weekdayName, 0), 'b': names(1, 12, monthName, 3), 'B': names(1, 12, monthName, 0),
}

// fullFormats are the directives that stand for several others.
var fullFormats = map[byte]string{'c': "%a %b %d %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S"}

func weekdayName(i int) string { return time.Weekday(i).String() }

func monthName(i int) string { return time.Month(i).String() }

// names is a pattern of n names, cut to a length if it is not 0.
func names(first, n int, name func(i int) string, length int) string {
	var list []string
	for i := range n {
		s := name(first + i)
		if length > 0 {
			s = s[:length]
		}
		list = append(list, s)
	}
	return strings.Join(list, "|")
}

// numberOf is the number of a name by its first three letters, in any case.
func numberOf(s string, first, n int, name func(i int) string) int {
	for i := first; i < first+n; i++ {
		if strings.EqualFold(name(i)[:3], s[:3]) {
			return i
		}
	}
	return 0
}

// formatPattern makes a regular expression of a format, with a group for each directive.
func formatPattern(format, whole string, zones []string) (pattern string, err error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' {
			j := i
			for j < len(format) && format[j] != '%' {
				j++
			}
			for k, word := range spaces().Split(format[i:j], -1) {
				if k > 0 {
					b.WriteString(spaces().String())
				}
				b.WriteString(regexp.QuoteMeta(word))
			}
			i = j - 1
			continue
		}
		if i++; i == len(format) {
			return "", vm.ValueErrorf("stray %% in format '%s'", whole)
		}
		c = format[i]
		switch {
		case c == '%':
			b.WriteByte('%')
		case c == 'Z':
			b.WriteString("(?P<Z>")
			for k, zone := range zones {
				if k > 0 {
					b.WriteByte('|')
				}
				b.WriteString(regexp.QuoteMeta(zone))
			}
			b.WriteByte(')')
		case fieldPatterns[c] != "":
			b.WriteString("(?P<" + string(c) + ">" + fieldPatterns[c] + ")")
		case fullFormats[c] != "":
			part, err := formatPattern(fullFormats[c], whole, zones)
			if err != nil {
				return "", err
			}
			b.WriteString(part)
		default:
			shown := string([]rune(format[i:])[0])
			if strings.ContainsAny(shown, `\.^$*+?(){}[]|`) {
				shown = "%" // as CPython says it
			}
			return "", vm.ValueErrorf("'%s' is a bad directive in format '%s'", shown, whole)
		}
	}
	return b.String(), nil
}

var spaces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\s\x0b\x1c-\x1f\x{85}\p{Z}]+`)
})

// parsed are the fields that a text gave; those that it did not are -1, but for the year.
type parsed struct {
	year, isoYear                                 int // noYear: not given
	month, day, hour, minute, second              int
	weekday, yearDay, sundayWeek, mondayWeek, iso int // weekday from Monday, 0
	dst                                           int
	zone, offset                                  vm.Value
}

const noYear = -1

// dateParse is time.strptime: the fields of struct_time that a text has by a format.
func dateParse(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	text, format := vs[0].(string), vs[1].(string)
	if err := t.Charge(int64(len(format))*400 + int64(len(text))); err != nil {
		return nil, err
	}
	if err := t.Tick(len(format)*8 + len(text)); err != nil {
		return nil, err
	}
	zones, daylight := zoneNames()
	pattern, err := formatPattern(format, format, zones)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`(?i)^(?:` + pattern + `)`)
	if err != nil {
		return nil, err
	}
	if twice(re.SubexpNames()) {
		return nil, vm.WithHint(vm.ValueErrorf("format '%s' has a directive twice", format), "write each directive once, as %c, %x and %X have some of them")
	}
	m := re.FindStringSubmatchIndex(text)
	if m == nil {
		shown, err := t.Repr(text)
		if err != nil {
			return nil, err
		}
		shownFormat, err := t.Repr(format)
		if err != nil {
			return nil, err
		}
		return nil, vm.ValueErrorf("time data %s does not match format %s", shown, shownFormat)
	}
	if m[1] < len(text) {
		return nil, vm.ValueErrorf("unconverted data remains: %s", text[m[1]:])
	}
	p := parsed{year: noYear, isoYear: noYear, month: 1, day: 1, weekday: -1, yearDay: -1, sundayWeek: -1, mondayWeek: -1, iso: -1, dst: -1, zone: vm.None, offset: vm.None}
	found := map[string]string{}
	for i, name := range re.SubexpNames() {
		if name != "" {
			found[name] = text[m[2*i]:m[2*i+1]]
		}
	}
	for _, name := range re.SubexpNames() { // in order: of two that say the same the last counts
		if name != "" {
			if err := p.field(name[0], found[name], found["p"], zones, daylight); err != nil {
				return nil, err
			}
		}
	}
	return p.date()
}

// twice reports whether a name is there more than once.
func twice(groups []string) bool {
	seen := map[string]bool{}
	for _, name := range groups {
		if name != "" && seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// field takes one directive's text.
func (p *parsed) field(directive byte, s, half string, zones []string, daylight bool) error {
	n, _ := strconv.Atoi(strings.TrimSpace(s))
	switch directive {
	case 'y':
		p.year = 1900 + n
		if n <= 68 {
			p.year = 2000 + n
		}
	case 'Y':
		p.year = n
	case 'G':
		p.isoYear = n
	case 'm':
		p.month = n
	case 'b', 'B':
		p.month = numberOf(s, 1, 12, monthName)
	case 'd':
		p.day = n
	case 'H':
		p.hour = n
	case 'I':
		p.hour = n % 12
		if strings.EqualFold(half, "pm") {
			p.hour += 12
		}
	case 'M':
		p.minute = n
	case 'S':
		p.second = n
	case 'a', 'A':
		p.weekday = (numberOf(s, 0, 7, weekdayName) + 6) % 7
	case 'w':
		p.weekday = (n + 6) % 7
	case 'u':
		p.weekday = n - 1
	case 'j':
		p.yearDay = n
	case 'U':
		p.sundayWeek, p.mondayWeek = n, -1
	case 'W':
		p.mondayWeek, p.sundayWeek = n, -1
	case 'V':
		p.iso = n
	case 'z':
		return p.setOffset(s)
	case 'Z':
		p.zone = s
		switch i := slices.IndexFunc(zones, func(z string) bool { return strings.EqualFold(z, s) }); {
		case i == 3:
			p.dst = 1
		case i < 2 || !daylight || zones[2] != zones[3]: // one name for both leaves it open
			p.dst = 0
		}
	}
	return nil
}

// setOffset takes Z or +hh:mm:ss, with or without colons and seconds.
func (p *parsed) setOffset(s string) error {
	if s == "Z" {
		p.offset = int64(0)
		return nil
	}
	digits := strings.ReplaceAll(s[1:], ":", "")
	if colons := strings.Count(s, ":"); colons > 0 && len(digits) > 4 && colons != 2 || s[3] != ':' && colons > 0 {
		return vm.ValueErrorf("Inconsistent use of : in %s", s)
	}
	var n [3]int
	for i := range n {
		if len(digits) >= 2*i+2 {
			n[i], _ = strconv.Atoi(digits[2*i : 2*i+2])
		}
	}
	seconds := int64(n[0]*3600 + n[1]*60 + n[2])
	if s[0] == '-' {
		seconds = -seconds
	}
	p.offset = seconds
	return nil
}

// date completes the fields: month and day by the day of the year or by week and weekday, and
// the other way round.
func (p *parsed) date() (vm.Value, error) {
	const weekdays = "a weekday directive ('%%A', '%%a', '%%w', or '%%u')."
	week := max(p.sundayWeek, p.mondayWeek)
	switch {
	case p.year == noYear && p.isoYear != noYear:
		switch {
		case p.iso < 0 || p.weekday < 0:
			return nil, vm.ValueErrorf("ISO year directive '%%G' must be used with the ISO week directive '%%V' and " + weekdays)
		case p.yearDay >= 0:
			return nil, vm.ValueErrorf("Day of the year directive '%%j' is not compatible with ISO year directive '%%G'. Use '%%Y' instead.")
		}
	case week < 0 && p.iso >= 0:
		if p.weekday < 0 {
			return nil, vm.ValueErrorf("ISO week directive '%%V' must be used with the ISO year directive '%%G' and " + weekdays)
		}
		return nil, vm.ValueErrorf("ISO week directive '%%V' is incompatible with the year directive '%%Y'. Use the ISO year '%%G' instead.")
	}
	year, leapDay := p.year, false
	if year == 0 {
		return nil, vm.ValueErrorf("year 0 is out of range")
	}
	if year == noYear {
		year = 1900
		if leapDay = p.month == 2 && p.day == 29; leapDay {
			year = 1904 // a leap year, so that there is such a day
		}
	}
	var at time.Time
	switch {
	case p.yearDay >= 0:
		at = day(year, 1, p.yearDay)
	case p.weekday >= 0 && p.sundayWeek >= 0:
		at = inWeek(year, p.sundayWeek, (p.weekday+1)%7, int(day(year, 1, 1).Weekday()))
	case p.weekday >= 0 && p.mondayWeek >= 0:
		at = inWeek(year, p.mondayWeek, p.weekday, (int(day(year, 1, 1).Weekday())+6)%7)
	case p.isoYear != noYear && p.iso >= 0 && p.weekday >= 0:
		year = p.isoYear
		first := day(year, 1, 4) // which is in the first week
		at = first.AddDate(0, 0, -(int(first.Weekday())+6)%7+7*(p.iso-1)+p.weekday)
	default:
		if at = day(year, p.month, p.day); at.Day() != p.day {
			return nil, vm.ValueErrorf("day is out of range for month")
		}
	}
	yearDay := int(at.Sub(day(year, 1, 1))/(24*time.Hour)) + 1 // more than 366 where a week ends in the next year, as in CPython
	if yearDay <= 0 {
		yearDay = at.YearDay()
	}
	year = at.Year()
	if leapDay {
		year = 1900
	}
	weekday := p.weekday
	if weekday < 0 {
		weekday = (int(at.Weekday()) + 6) % 7
	}
	return vm.NewTuple(int64(year), int64(at.Month()), int64(at.Day()), int64(p.hour), int64(p.minute), int64(p.second),
		int64(weekday), int64(yearDay), int64(p.dst), p.zone, p.offset), nil
}

func day(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// inWeek is a day of a week of a year, weekdays counted from the first of a week: week 1 begins
// with the first such day, and week 0 is what is before it. first is the first of January.
func inWeek(year, week, weekday, first int) time.Time {
	if week == 0 && first == 0 {
		week = 1 // there is nothing before it; CPython takes week 0 for it
	}
	return day(year, 1, 1).AddDate(0, 0, (7-first)%7+7*(week-1)+weekday)
}

// zoneNames are those that %Z knows: utc, gmt, and the local ones without and, if there is
// one, with summer time.
func zoneNames() (names []string, daylight bool) {
	_, _, summer, winterName, summerName := localZone()
	return []string{"utc", "gmt", winterName, summerName}, summer
}
