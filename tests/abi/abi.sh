#!/usr/bin/env bash
# What the public headers promise a program that is already compiled, functions with the types of their
# arguments, members of structs, values of enums, is what talus.abi remembers.
#   abi.sh check INCLUDE_FOLDER CC      fails at any change, and says what it is
#   abi.sh renew INCLUDE_FOLDER CC      writes talus.abi anew: look at the change before it is committed
#   abi.sh kept  INCLUDE_FOLDER CC      fails if a release whose headers are kept in 0.*/ has a function,
#                                       a member or a value that is elsewhere now, or gone
# From the headers alone, so that it depends neither on options nor on the kind of build: a library of
# one variable per function, of that function's type. That the real library has these functions, and no
# others, is the test of symbols.
set -eu
mode=$1 cc=$3
include=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
kept=$here/talus.abi

command -v abidw >/dev/null 2>&1 && command -v abidiff >/dev/null 2>&1 ||
  { echo "skipped: no abidw and abidiff (Debian: abigail-tools)" && exit 77; }

[ "$(uname -m)" = x86_64 ] || { echo "skipped: talus.abi is of x86_64" && exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
probe() { # include folder, folder of the result
  mkdir -p "$2"
  {
    for header in "$1"/talus/*.h; do
      printf '#include <talus/%s>\n' "$(basename "$header")"
    done
    cat "$1"/talus/*.h | tr '\n' ' ' | grep -oE 'TALUS_API [^;(]*\(' |
      grep -oE 'talus_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u |
      while read -r name; do
        printf 'extern __typeof__(&%s) const of_%s;\n__typeof__(&%s) const of_%s = 0;\n' \
          "$name" "$name" "$name" "$name"
      done
  } >"$2/probe.c"
  (cd "$2" && "$cc" -std=gnu11 -g -gdwarf-4 -O0 -fPIC -shared -Wl,-soname,libtalus_abi.so \
    -I "$1" probe.c -o libtalus_abi.so)
  functions=$(grep -c '^extern' "$2/probe.c")
  [ "$functions" -ge 30 ] || { echo "failed: too few declarations were found" && exit 1; }
}

if [ "$mode" = kept ]; then
  probe "$include" "$folder/today"
  for kept in "$here"/0.*/include; do
    probe "$kept" "$folder/kept"
    abidiff --no-show-locs "$folder/kept/libtalus_abi.so" "$folder/today/libtalus_abi.so" \
      >"$folder/change.txt" 2>&1 || true
    # Members and values that are added at the end are all that may be told; counts of values follow.
    if grep -vE "_COUNT' from value" "$folder/change.txt" | grep -qE \
      "offset changed|deletion|^  \[D\]|from value '|entity changed|type name changed|' changed to '"; then
      cat "$folder/change.txt"
      echo "failed: programs of release $(basename "$(dirname "$kept")") would break, see above"
      exit 1
    fi
    echo "$functions functions of $(basename "$(dirname "$kept")") are where they were"
  done
  exit 0
fi
probe "$include" "$folder"

if [ "$mode" = renew ]; then
  abidw --no-comp-dir-path --no-corpus-path --no-show-locs --no-elf-needed \
    --type-id-style hash --out-file "$kept" "$folder/libtalus_abi.so"
  if grep -nE "$folder|$include|/(home|tmp|root|work|usr)/" "$kept"; then
    echo "failed: the lines above name places of this machine"
    exit 1
  fi
  echo "$kept: $functions functions"
  exit 0
fi

if abidiff --no-show-locs "$kept" "$folder/libtalus_abi.so" >"$folder/change.txt" 2>&1; then
  echo "$functions functions: as talus.abi has them"
  exit 0
fi
cat "$folder/change.txt"
echo "failed: the interface of compiled programs has changed, see above. If that is meant:"
echo "  bash tests/abi/abi.sh renew include cc"
exit 1
