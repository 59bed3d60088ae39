#!/usr/bin/env bash
# What can be known of the device code without a device: compiles the kernels, runs an APGDB solve of
# a heap of spheres under ptxrun, which counts what the threads ask for, and writes
# docs/measured/kernels.md.
#
#   bench/kernels.sh PTXRUN [BODIES]       or PTXRUN=path bench/kernels.sh
#   TALUS_BUILD=folder                     where to build (default build-kernels)
# Needs the CUDA toolkit (nvcc on the PATH, or CUDA_HOME), python3 and what ptxrun needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ptxrun=${1:-${PTXRUN:-}}
bodies=${2:-1000}
build=${TALUS_BUILD:-build-kernels}
iterations=20
if [ -z "$ptxrun" ] || [ ! -x "$ptxrun" ]; then
  echo "kernels.sh: where is ptxrun? bench/kernels.sh PATH_OF_PTXRUN" >&2
  exit 2
fi
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ ! -x "$nvcc" ]; then
  echo "kernels.sh: no nvcc: put it on the PATH or set CUDA_HOME" >&2
  exit 2
fi
PATH=$PATH:$(dirname "$nvcc")

echo "kernels.sh: building" >&2
cmake -S . -B "$build" -DTALUS_CUDA=ON -DTALUS_CUDA_ARCHITECTURES=80 -DTALUS_TESTS=OFF \
  -DTALUS_SAMPLES=OFF >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target talus_program >/dev/null
scratch=$build/kernels
mkdir -p "$scratch"

# ptxas says registers, spills and shared memory of each kernel; flags as in CMakeLists.txt.
for real in 0 1; do
  log=$scratch/ptxas_$real.txt
  : >"$log"
  for source in kernels/cuda/*.cu; do
    case $real$source in 1*/assembly_* | 1*/ferry_*) continue ;; esac # in double only
    echo "kernels.sh: compiling $source, TL_REAL_IS_FLOAT=$real" >&2
    nvcc -std=c++17 -O3 --fmad=false -I. -Iinclude -DTL_HAVE_CUDA=1 -DTL_REAL_IS_FLOAT=$real \
      -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -Xptxas -v \
      -c "$source" -o "$scratch/object.o" >>"$log" 2>&1
  done
done

talus=$build/bin/talus
"$talus" generate heap --bodies "$bodies" --out "$scratch/heap.hdf5" >&2
for precision in f32 f64; do
  echo "kernels.sh: counting, $precision" >&2
  "$ptxrun" --count --profile "$talus" solve "$scratch/heap.hdf5" --law ccp --method apgdb \
    --backend cuda --precision $precision --max-iterations $iterations --tol 1e-30 --json \
    >"$scratch/solve_$precision.json" 2>"$scratch/count_$precision.txt" || [ $? = 3 ]
done
python3 bench/kernels.py "$scratch" $iterations "$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" \
  >"$scratch/kernels.md"
mv "$scratch/kernels.md" docs/measured/kernels.md
echo "kernels.sh: docs/measured/kernels.md" >&2
