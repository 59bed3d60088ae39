#!/usr/bin/env bash
# validation.sh [BUILD [OUT]]: all figures and plots of docs/measured/validation.md: the full forms of the
# samples that compare with published physics, one after the other, and their tables as plots in OUT
# (default docs/measured). Some half an hour on one free core.
set -euo pipefail
build=${1:-build} out=${2:-docs/measured}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

run() { # NAME TABLE
  echo "== $1"
  "$build/bin/$1" --full --table "$work/$2.csv" || missed=1
}

plot() { # TABLE X COLUMNS TITLE [OPTIONS]
  "$build/bin/talus" plot "$work/$1.csv" --x "$2" --columns "$3" --title "$4" --style both --width 700 --height 450 \
    --out "$out/validation_$1.png" "${@:5}"
}

run triaxial triaxial
run plane_shear shear
run column_collapse column
run haff haff
run jamming jamming
run reversal reversal
run chute chute
run hopper hopper
run drum drum
run silo silo
run brazil_nut_3d brazil_nut_3d
for kind in disks:2 beads:3 network:4; do
  { head -1 "$work/shear.csv" && grep "^${kind#*:}," "$work/shear.csv"; } > "$work/${kind%:*}.csv"
done
plot triaxial strain angle "triaxial test: friction angle, degrees"
plot disks inertial friction,published "disks: friction against I" --log-x
plot beads inertial friction,published,jop "beads: friction against I" --log-x
plot network inertial friction,anisotropy,floating "beads of friction 0.4" --log-x
plot column aspect run_out,published "columns: run-out against aspect ratio" --log-x --log-y
plot reversal density_ratio lead "shaken disks: lead of the large ones" --log-x
plot chute time lead "chute: lead of the large beads"
plot haff time temperature,haff "granular gas: temperature" --log-y
exit $missed
