#!/usr/bin/env bash
# Runs all tests: installs what is missing, builds, runs CTest and ends with its summary.
#
#   tests/run.sh [options of ctest]        for example: tests/run.sh -L emu
#   TALUS_BUILD=folder TALUS_OPTIONS="-DTALUS_CUDA=OFF"   build elsewhere, or otherwise
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. host/package/requirements.sh
talus_require tests

build=${TALUS_BUILD:-build}
# shellcheck disable=SC2086 # a list of options
cmake -S . -B "$build" -DTALUS_TESTS=ON -DTALUS_SAMPLES=ON -DTALUS_CUDA_ARCHITECTURES=80 \
  ${TALUS_OPTIONS:-}
cmake --build "$build" --parallel "$(talus_jobs)"
exec ctest --test-dir "$build" --output-on-failure --parallel "$(talus_jobs)" "$@"
