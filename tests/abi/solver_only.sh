#!/usr/bin/env bash
# The preset `solver` builds a library that needs libc and libm and nothing else.
#   solver_only.sh SOURCE        with TALUS_TEST_SOLVER=1; it builds all of the library (2 minutes of CPU)
set -eu
[ "${TALUS_TEST_SOLVER:-}" = 1 ] || { echo "skipped: TALUS_TEST_SOLVER is not 1" && exit 77; }
source=$(cd "$1" && pwd) build=${TALUS_SOLVER_BUILD:-}
if [ -z "$build" ]; then
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
  (cd "$source" && cmake --preset solver -B "$build" >/dev/null)
fi
cmake --build "$build" --target talus talus_program --parallel 2 >/dev/null
for file in "$build/lib/libtalus.so" "$build/bin/talus"; do
  needed=$(ldd "$file" | awk '{print $1}' | grep -vE '^(linux-vdso|libc|libm|libtalus)\.so|ld-linux' || true)
  [ -z "$needed" ] || { echo "failed: $file needs $needed" && exit 1; }
done
cd "$build" && ./bin/talus generate heap --bodies 30 --out heap.dat >/dev/null && ./bin/talus solve heap.dat --tol 1e-6
