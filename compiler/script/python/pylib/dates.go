package pylib

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// moment is a time in seconds since 1970, now if absent.
func moment(v vm.Value) (time.Time, error) {
	if v == nil || v == vm.None {
		return time.Now(), nil
	}
	s, ok := vm.AsFloat(v)
	switch {
	case !ok:
		return time.Time{}, vm.TypeErrorf("'%s' object cannot be interpreted as an integer", vm.TypeName(v))
	case math.IsNaN(s):
		return time.Time{}, vm.ValueErrorf("Invalid value NaN (not a number)")
	case math.Abs(s) > 1e11:
		return time.Time{}, vm.Raise(vm.OverflowError, "timestamp out of range for platform time_t")
	}
	return time.Unix(int64(math.Floor(s)), 0), nil
}

// dateParts gives the fields of struct_time for seconds since 1970.
func dateParts(_ *vm.Thread, vs []vm.Value) (vm.Value, error) {
	at, err := moment(vs[0])
	if err != nil {
		return nil, err
	}
	if vs[1] == true {
		at = at.UTC()
	}
	zone, offset := at.Zone()
	if vs[1] == true {
		zone = "GMT" // as C libraries name it
	}
	dst := int64(0)
	if at.IsDST() {
		dst = 1
	}
	weekday := (int64(at.Weekday()) + 6) % 7
	return vm.NewTuple(int64(at.Year()), int64(at.Month()), int64(at.Day()), int64(at.Hour()), int64(at.Minute()), int64(at.Second()),
		weekday, int64(at.YearDay()), dst, zone, int64(offset)), nil
}

// fieldsOf are the first six fields of struct_time as a time.
func fieldsOf(v vm.Value, in *time.Location) time.Time {
	var n [6]int
	for i := range n {
		x, _ := vm.AsInt(v.(*vm.Tuple).Elems[i])
		n[i] = int(min(max(x, -1<<24), 1<<24))
	}
	return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, in)
}

func dateSeconds(_ *vm.Thread, vs []vm.Value) (vm.Value, error) {
	return fieldsOf(vs[0], time.Local).Unix(), nil
}

// dateZone gives the seconds west of Greenwich without and with summer time, whether there
// is one, and the names.
func dateZone(*vm.Thread, []vm.Value) (vm.Value, error) {
	off, altOff, summer, name, alt := localZone()
	daylight := int64(0)
	if summer {
		daylight = 1
	}
	return vm.NewTuple(int64(-off), int64(-altOff), daylight, vm.NewTuple(name, alt)), nil
}

// localZone has the seconds east of Greenwich and the names, without and with summer time.
func localZone() (off, altOff int, daylight bool, name, alt string) {
	year := time.Now().Year()
	winter, summer := time.Date(year, 1, 1, 0, 0, 0, 0, time.Local), time.Date(year, 7, 1, 0, 0, 0, 0, time.Local)
	if winter.IsDST() {
		winter, summer = summer, winter
	}
	name, off = winter.Zone()
	alt, altOff = summer.Zone()
	return off, altOff, off != altOff, name, alt
}

// layouts are directives of strftime as layouts of package time.
var layouts = map[byte]string{
	'H': "15", 'M': "04", 'y': "06", 'e': "_2",
	'b': "Jan", 'h': "Jan", 'B': "January", 'I': "03", 'p': "PM", 'Z': "MST", 'z': "-0700",
}

// short are those that stand for several others.
var short = map[byte]string{
	'F': "%Y-%m-%d", 'T': "%H:%M:%S", 'D': "%m/%d/%y", 'R': "%H:%M", 'c': "%a %b %e %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S",
	'r': "%I:%M:%S %p", 'n': "\n", 't': "\t", '%': "%",
}

// dateFormat is strftime of the nine fields, in a zone of that name and offset or the local one.
func dateFormat(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	in := time.Local
	if offset, ok := vm.AsInt(vs[3]); ok {
		zone, _ := vs[2].(string)
		in = time.FixedZone(zone, int(offset))
	}
	fields := vs[1].(*vm.Tuple).Elems
	field := func(i int) int { n, _ := vm.AsInt(fields[i]); return int(n) }
	weekday, yearDay := (field(6)+1)%7, field(7) // as the tuple has them, which may not be those of its date
	at := fieldsOf(vs[1], in)
	var b strings.Builder
	var write func(format string)
	write = func(format string) {
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			isoYear, isoWeek := at.ISOWeek()
			switch c := format[i]; c {
			case 'Y':
				b.WriteString(strconv.Itoa(field(0)))
			case 'm':
				fmt.Fprintf(&b, "%02d", field(1))
			case 'd':
				fmt.Fprintf(&b, "%02d", field(2))
			case 'C':
				fmt.Fprintf(&b, "%02d", field(0)/100)
			case 'S':
				fmt.Fprintf(&b, "%02d", field(5))
			case 'a':
				b.WriteString(time.Weekday(weekday).String()[:3])
			case 'A':
				b.WriteString(time.Weekday(weekday).String())
			case 'w':
				b.WriteString(strconv.Itoa(weekday))
			case 'u':
				b.WriteString(strconv.Itoa((weekday+6)%7 + 1))
			case 'j':
				fmt.Fprintf(&b, "%03d", yearDay)
			case 'U':
				fmt.Fprintf(&b, "%02d", (yearDay+6-weekday)/7)
			case 'W':
				fmt.Fprintf(&b, "%02d", (yearDay+6-(weekday+6)%7)/7)
			case 'G':
				b.WriteString(strconv.Itoa(isoYear))
			case 'V':
				fmt.Fprintf(&b, "%02d", isoWeek)
			case 's':
				b.WriteString(strconv.FormatInt(fieldsOf(vs[1], time.Local).Unix(), 10))
			default:
				if s, ok := short[c]; ok && s == "%" {
					b.WriteByte('%')
				} else if ok {
					write(s)
				} else if layouts[c] != "" {
					b.WriteString(at.Format(layouts[c]))
				} else {
					b.WriteString("%" + string(c))
				}
			}
		}
	}
	if err := t.Charge(int64(len(vs[0].(string))) * 12); err != nil {
		return nil, err
	}
	write(vs[0].(string))
	return b.String(), nil
}
