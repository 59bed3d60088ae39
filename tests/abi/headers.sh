#!/usr/bin/env bash
# Each public header alone is valid C11 and C++11, without a warning, and may be included twice.
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
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 9 ]
