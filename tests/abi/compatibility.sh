#!/usr/bin/env bash
# Programs and libraries of different releases go together: program.c, compiled with the headers of
# every release that is kept here, with today's, and with headers that have grown since (each struct
# with a size has one more member at its end), gives the same results on today's library. And, if CMAKE
# is named, on a library that is built here from the grown headers, without optimisation and optional
# parts.
#   compatibility.sh SOURCE_FOLDER LIBRARY_FOLDER CC [CMAKE]
set -eu
source=$(cd "$1" && pwd) library=$(cd "$2" && pwd) cc=$3 cmake=${4:-}
here=$source/tests/abi

# Adds a member to the end of every struct that begins with struct_size.
grow() { # from, to
  mkdir -p "$2/talus"
  for header in "$1"/talus/*.h; do
    awk '/^typedef struct talus_[a-z_]+ \{/ { sized = 0 }
         /^  uint32_t struct_size;/ { sized = 1 }
         /^} talus_[a-z_]+;/ { if (sized) { print "  uint64_t later[3];" } sized = 0 }
         { print }' "$header" >grown.h
    cmp -s grown.h "$2/talus/$(basename "$header")" || # else nothing is compiled again
      mv grown.h "$2/talus/$(basename "$header")"
  done
  [ "$(cat "$2"/talus/*.h | grep -c 'uint64_t later\[3\];')" -ge 26 ] ||
    { echo "failed: not every struct has grown" && exit 1; }
}

rm -rf programs results
mkdir programs results
grow "$source/include" grown
for headers in "$here"/0.*/include "$source/include" "$PWD/grown"; do
  name=$(basename "$(dirname "$headers")")
  [ "$headers" = "$source/include" ] && name=today
  [ "$headers" = "$PWD/grown" ] && name=grown
  "$cc" -std=c11 -Wall -Wextra -pedantic -Werror -O1 -fstack-protector-all -I "$headers" \
    "$here/program.c" -o "programs/$name" -L "$library" -ltalus
done

run_all() { # library folder, name of the library
  for program in programs/*; do
    name=$(basename "$program")-on-$2
    LD_LIBRARY_PATH=$1 "./$program" >"results/$name" ||
      { echo "failed: $name" && cat "results/$name" && exit 1; }
    cmp "results/$name" results/today-on-today ||
      { echo "failed: $name has other results than today-on-today" && exit 1; }
  done
  echo "on the library of $2: $(ls programs | tr '\n' ' ')"
}

LD_LIBRARY_PATH=$library ./programs/today >results/today-on-today
[ "$(wc -l <results/today-on-today)" -ge 8 ]
run_all "$library" today
[ -n "$cmake" ] || exit 0

"$cmake" -S "$source" -B library -DTALUS_HEADERS="$PWD/grown" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DTALUS_TESTS=OFF -DTALUS_SAMPLES=OFF \
  -DTALUS_CUDA=OFF -DTALUS_HDF5=OFF -DTALUS_PNG=OFF -DTALUS_CAIRO=OFF -DTALUS_ZLIB=OFF \
  -DTALUS_YAML=OFF -DTALUS_URDF=OFF -DTALUS_SUITESPARSE=OFF -DTALUS_LAPACK=OFF >library.log
"$cmake" --build library --target talus --parallel 2 >>library.log
run_all "$PWD/library/lib" grown
