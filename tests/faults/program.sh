#!/usr/bin/env bash
# What is left of a run whose files could not be written, or that was killed: nothing is lost, nothing
# is told wrongly, and going on gives the same bytes as a run that nothing happened to.
#   program.sh TALUS INJECT HAVE_YAML(0|1) HAVE_HDF5(0|1)
set -u
talus=$(realpath "$1") inject=$(realpath "$2") yaml=$3 hdf5=$4
[ "$yaml" = 1 ] && [ "$hdf5" = 1 ] || exit 77
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

cat >few.yaml <<'END'
walls:
  - kind: box
    size: [4 cm, 4 cm, 4 cm]
grains:
  - kind: random
    radius: 5 mm
    count: 6
run:
  steps: 12
output:
  every: 2 ms
  checkpoint: 3 ms
  keep: 2
END
alone="--threads 1 --quiet"

# ---- closed standard files --------------------------------------------------------------------------
# A step that fails has something to say, which must not go into the table.
hopeless="--set world.max_iterations=1 --set world.tolerance=1e-14 --set world.accept=1e-13"
hopeless="$hopeless --set world.method=jacobi --steps 200"
# shellcheck disable=SC2086 # a list of options
{
  "$talus" run few.yaml --out silent $alone $hopeless >out 2>&-
  note "the exit code is that of a failed step" [ $? -eq 3 ]
  note "no message goes into the table" grep -q '^step,time' silent/scalars.csv
  : >err
  "$talus" run few.yaml --out deaf $alone --steps 2 <&- >&- 2>err
  note "a report that nobody can read is an error" [ $? -eq 2 ]
  note "the table has three lines" test "$(wc -l <deaf/scalars.csv)" -eq 3
}

# ---- limits -----------------------------------------------------------------------------------------
# shellcheck disable=SC2086
(
  ulimit -f 1
  "$talus" run few.yaml --out limited $alone >out 2>err
)
note "a file above the limit is a failed write" [ $? -eq 2 ]
err_has "limited/.*File too large"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
