#!/usr/bin/env bash
# The demonstration: installs what is missing, builds Talus, shakes a box of disks until the large
# one is on top (the Brazil nut of Anitescu and Hart), and draws it. About two minutes on two cores.
# Runs from any folder, asks nothing.
#
#   samples/demo.sh [FOLDER]      for the output; default build-demo/brazil_nut
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. host/package/requirements.sh
talus_require

build=$PWD/build-demo # apart from the one of the tests, which may have CUDA
out=${1:-$build/brazil_nut}
case $out in /*) ;; *) out=$caller/$out ;; esac

# A GPU is used if there is one, and a compiler for it; the result is the same.
cuda=OFF
if command -v nvcc >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  cuda=AUTO
fi
cmake -S . -B "$build" -DTALUS_CUDA=$cuda
cmake --build "$build" --parallel "$(talus_jobs)" --target talus_program first_solve
echo
echo "== a ball slides on the ground (samples/first_solve.c)"
"$build/bin/first_solve"
if ! "$build/bin/talus" scene check samples/scenes/brazil_nut_2d.yaml >/dev/null; then
  echo "No scene was run: Talus was built without libyaml"
  exit 0
fi
echo
echo "== the Brazil nut: 60 shakes of a box (samples/scenes/brazil_nut_2d.yaml)"
"$build/bin/talus" run samples/scenes/brazil_nut_2d.yaml --out "$out" --force --backend auto
draw=("$build/bin/talus" render "$out" --field radius --width 560 --height 900)
if "${draw[@]}" --frame 0 --out "$out/begin.png" && "${draw[@]}" --out "$out/end.png"; then
  echo
  echo "Pictures:  $out/begin.png"
  echo "           $out/end.png"
  if command -v ffmpeg >/dev/null 2>&1; then
    "${draw[@]}" --movie >/dev/null && echo "Movie:     $out/movie.mp4"
  else
    echo "Movie:     install ffmpeg, then: $build/bin/talus render $out --movie --field radius"
  fi
fi
echo "ParaView:  $out/grains.pvd"
echo "Table:     $out/scalars.csv"
echo "Program:   $build/bin/talus; try it with --help"
