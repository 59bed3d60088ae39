#!/usr/bin/env bash
# The heaps of docs/measured/heaps.md as problem files: moving_N_MU.hdf5 when most spheres have landed,
# settled_N_MU.hdf5 when they creep. 100 and 1000 spheres take a minute, 10 000 a quarter of an hour.
#
#   bench/heaps.sh [FOLDER [TALUS]]     default: heaps build/bin/talus
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
talus=$(realpath "${2:-$here/../build/bin/talus}")
mkdir -p "${1:-heaps}"
cd "${1:-heaps}"

# spheres, width and height of the box, m; seconds until most have landed, until they creep
heap() {
  for friction in 0.5 0.3; do
    local out=world_$1_$friction
    local settings=(--set "grains.0.count=$1" --set "walls.0.size=[$2,$2,$3]"
      --set "materials.stone.friction=$friction" --threads 1)
    "$talus" run "$here/heap.yaml" "${settings[@]}" --out "$out" --force --time "$4" \
      --problem "moving_$1_$friction.hdf5"
    "$talus" run "$here/heap.yaml" "${settings[@]}" --out "$out" --resume "$out" --time "$5" \
      --problem "settled_$1_$friction.hdf5"
  done
}
heap 100 0.5 3 0.35 1.5
heap 1000 1.1 5 0.55 2.5
heap 10000 2.3 10 0.75 3
