#!/bin/sh
# Digest of a kernel's sources without comments and white space, so that
# sweep.log can say which code it is about. usage: digest.sh FILE, without its .c
set -eu
cd "$(dirname "$0")"
CC=${CC:-cc}
$CC -ffreestanding -I../src -MM "$1.c" | tr -d '\\' | tr -s ' \n' '\n' | grep '\.[ch]$' | LC_ALL=C sort |
    while read -r file; do
        $CC -w -fpreprocessed -dD -E -P "$file"
    done | tr -d ' \t\n' | sha256sum | cut -c1-16
