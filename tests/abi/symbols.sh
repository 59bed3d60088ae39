#!/usr/bin/env bash
# The shared library shows every function that the headers declare, nothing else, and carries the
# number of its interface (TALUS_ABI_VERSION) in its name and its symbols.
#   symbols.sh LIBRARY INCLUDE_FOLDER NUMBER
set -u
library=$1 include=$2 number=$3 failed=0

shown=$(nm -D --defined-only "$library" | awk '{print $NF}' | grep -v "^TALUS_$number\$" |
  sed "s/@@TALUS_$number\$//" | sort -u)
declared=$(cat "$include"/talus/*.h | tr '\n' ' ' | grep -oE 'TALUS_API [^;(]*\(' |
  grep -oE 'talus_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u)
[ "$(wc -w <<<"$declared")" -ge 30 ] || { echo "failed: too few declarations were found" && failed=1; }

foreign=$(grep -v '^talus_' <<<"$shown")
[ -z "$foreign" ] || { printf 'failed: symbols that should be hidden:\n%s\n' "$foreign" && failed=1; }
missing=$(comm -13 <(echo "$shown") <(echo "$declared"))
[ -z "$missing" ] || { printf 'failed: declared but not there:\n%s\n' "$missing" && failed=1; }
extra=$(comm -23 <(grep '^talus_' <<<"$shown") <(echo "$declared"))
[ -z "$extra" ] || { printf 'failed: there but not declared:\n%s\n' "$extra" && failed=1; }

if command -v readelf >/dev/null 2>&1; then
  readelf -d "$library" | grep -q "SONAME.*\[libtalus\.so\.$number\]" ||
    { echo "failed: SONAME is not libtalus.so.$number" && failed=1; }
fi
echo "$(wc -w <<<"$declared") functions declared, $(wc -w <<<"$shown") symbols shown"
exit "$failed"
