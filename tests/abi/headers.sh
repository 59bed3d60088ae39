#!/usr/bin/env bash
# Each public header alone is valid C11 and C++11, without a warning, and may be included twice. No
# struct with a struct_size ends in padding: a member that is added there would not change the size.
#   headers.sh INCLUDE_FOLDER CC CXX
set -u
include=$1 cc=$2 cxx=$3 passed=0 failed=0

try() { # what, then a command that reads a source on stdin
  local what=$1
  shift
  if "$@" -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$include" -; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $what"
  fi
}

for header in "$include"/talus/*.h; do
  name=talus/$(basename "$header")
  source=$(printf '#include <%s>\n#include <%s>\ntypedef int unit_is_not_empty;\n' "$name" "$name")
  try "$name as C11" "$cc" -std=c11 -x c <<<"$source"
  try "$name as C++11" "$cxx" -std=c++11 -x c++ <<<"$source"
done
try "a foreign program as C++11" "$cxx" -std=c++11 -x c++ <"$(dirname "$0")/foreign/app.c"

for header in "$include"/talus/*.h; do
  padded=$("$cc" -std=c11 -x c -Wpadded -fsyntax-only "$header" 2>&1 |
    sed -nE "s|^$header:([0-9]+):.*padding (struct size\|size of).*|\1|p")
  for line in $padded; do # where the struct begins, or ends
    if sed -n "$line,$((line + 1))p" "$header" | grep -q struct_size ||
      sed -n "1,${line}p" "$header" | tac | sed '/^typedef struct/q' | grep -q struct_size; then
      failed=$((failed + 1))
      echo "failed: $header:$line: padding at the end of a struct: fill it with a member 'unused'"
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 9 ]
