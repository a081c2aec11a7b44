#!/bin/sh
# Moves a full log aside and keeps ten; rsyslog calls it with the file's name.
set -eu
n=9
while [ $n -ge 1 ]; do
    [ ! -e "$1.$n" ] || mv -f "$1.$n" "$1.$((n + 1))"
    n=$((n - 1))
done
mv -f "$1" "$1.1"
rm -f "$1.11"
