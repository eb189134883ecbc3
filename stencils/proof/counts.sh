#!/bin/sh
# Instructions and bytes (code and constants) of every kernel object given. No
# kernel has a loop, so the instruction count bounds what one call executes.
# usage: counts.sh OBJDUMP OBJECT...
set -eu
objdump=$1
shift
for object; do
    instructions=$($objdump -d --no-show-raw-insn "$object" | grep '^ ' | grep -cvE '	(nop|data16|xchg +%ax,%ax|cs nop)')
    bytes=$($objdump -h "$object" | awk '$2 ~ /^\.(text|rodata)/ { print "0x" $3 }' |
        while read -r size; do echo $((size)); done | awk '{ n += $1 } END { print n }')
    printf '%-8s %4d instructions %5d bytes\n' "$(basename "$object" .o)" "$instructions" "$bytes"
done
