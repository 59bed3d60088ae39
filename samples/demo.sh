#!/usr/bin/env bash
# The demonstration: installs what is missing, builds Talus, solves a heap of spheres and draws its
# force chains. Runs from any folder, asks nothing.
#
#   samples/demo.sh [PICTURE.png]
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. host/package/requirements.sh
talus_require

build=$PWD/build
picture=${1:-$build/force_chains.png}
case $picture in /*) ;; *) picture=$caller/$picture ;; esac

cmake -S . -B "$build"
cmake --build "$build" --parallel "$(talus_jobs)" --target talus_program force_chains first_solve
echo
echo "== a ball slides on the ground (samples/first_solve.c)"
"$build/bin/first_solve"
echo
echo "== a heap of spheres and its force chains (samples/force_chains.c)"
code=0
"$build/bin/force_chains" "$picture" || code=$?
echo
if [ "$code" -eq 0 ]; then
  echo "The picture is $picture"
elif [ "$code" -eq 77 ]; then
  echo "No picture: Talus was built without libpng"
fi
echo "The program is $build/bin/talus; try it with --help"
exit "$code"
