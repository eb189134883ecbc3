"""Clocks, waiting, and dates of the host."""

from _time import time, time_ns, perf_counter, perf_counter_ns, monotonic, monotonic_ns, process_time, process_time_ns
from _time import thread_time, thread_time_ns, sleep, _parts, _seconds, _format, _parse, _zone

_names = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst", "tm_zone", "tm_gmtoff")
timezone, altzone, daylight, tzname = _zone()


class struct_time(tuple):
    """A date and time of day: nine numbers, with names."""

    n_fields, n_sequence_fields, n_unnamed_fields = 11, 9, 0

    def __new__(cls, sequence):
        values = tuple(sequence)
        if len(values) < 9:
            raise TypeError(f"time.struct_time() takes an at least 9-sequence ({len(values)}-sequence given)")
        if len(values) > 11:
            raise TypeError(f"time.struct_time() takes an at most 11-sequence ({len(values)}-sequence given)")
        t = tuple.__new__(cls, values[:9])
        t._zone, t._offset = (values[9:] + (None, None))[:2]
        return t

    @property
    def tm_zone(self): return self._zone
    @property
    def tm_gmtoff(self): return self._offset

    def __repr__(self):
        return "time.struct_time(" + ", ".join([f"{n}={v!r}" for n, v in zip(_names, self)]) + ")"


def _field(i): return property(lambda self: self[i])


for _i in range(9):
    setattr(struct_time, _names[_i], _field(_i))


def gmtime(seconds=None, /): return struct_time(_parts(seconds, True))
def localtime(seconds=None, /): return struct_time(_parts(seconds, False))


def _fields(t, where):
    if not isinstance(t, tuple):
        raise TypeError("Tuple or struct_time argument required")
    if len(t) != 9:
        raise TypeError(f"{where}(): illegal time tuple argument")
    for v in t:
        if not isinstance(v, int):
            raise TypeError(f"'{type(v).__name__}' object cannot be interpreted as an integer")
    return tuple([int(v) for v in t])


def mktime(t, /):
    """The seconds since 1970 of a local time."""
    return float(_seconds(_fields(t, "mktime")))


def _in_range(t, where):
    y, mon, day, hour, minute, sec, wday, yday, dst = _fields(t, where)
    mon, day, yday = mon or 1, day or 1, yday or 1
    for ok, what in ((1 <= mon <= 12, "month"), (1 <= day <= 31, "day of month"), (0 <= hour <= 23, "hour"), (0 <= minute <= 59, "minute"),
                     (0 <= sec <= 61, "seconds"), (wday >= -1, "day of week"), (1 <= yday <= 366, "day of year")):
        if not ok:
            raise ValueError(f"{what} out of range")
    return (y, mon, day, hour, minute, sec, (wday + 7) % 7, yday, dst)


def strftime(format, t=None, /):
    """A time as text, by directives such as %H."""
    if not isinstance(format, str):
        raise TypeError(f"strftime() argument 1 must be str, not {type(format).__name__}")
    if t is None:
        t = localtime()
    offset = t.tm_gmtoff if isinstance(t, struct_time) else None
    return _format(format, _in_range(t, "strftime"), t.tm_zone if offset is not None else None, offset)


def strptime(data_string, format="%a %b %d %H:%M:%S %Y", /):
    """The time that a text says, by directives such as %H."""
    for i, arg in enumerate((data_string, format)):
        if not isinstance(arg, str):
            raise TypeError(f"strptime() argument {i} must be str, not {type(arg)}")
    return struct_time(_parse(data_string, format))


def asctime(t=None, /):
    """A time as text, such as Sun Jun  9 04:26:40 1993."""
    t = _in_range(localtime() if t is None else t, "asctime")
    return "%s %s%3d %.2d:%.2d:%.2d %d" % (("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[t[6]],
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")[t[1] - 1], t[2], t[3], t[4], t[5], t[0])


def ctime(seconds=None, /): return asctime(localtime(seconds))
