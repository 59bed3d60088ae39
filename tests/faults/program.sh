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
err_has "no checkpoint to go on from"

# ---- what killed runs leave -------------------------------------------------------------------------
# shellcheck disable=SC2086
{
  "$inject" count 0 "$talus" run few.yaml --out whole $alone >out 2>err
  [ $? -eq 77 ] && exit $((failed > 0 ? 1 : 77))
  calls=$(tail -n 1 out)
  # of 27 files only the four checkpoints wait for the disk: table, frames, file and directory
  INJECT_TRACE=1 "$inject" count 0 "$talus" run few.yaml --out synced $alone >out 2>err
  note "the same files" diff -rq whole synced
  note "four syncs per checkpoint" test "$(grep -cE 'inject: .*(fsync|fdatasync|syncfs)' err)" -eq 16
  half=$((calls / 2))
  for at in $(seq $half $((half + 5))); do # one of them is in the middle of a frame
    "$inject" kill "$at" "$talus" run few.yaml --out killed --force $alone >out 2>err
    note "killed at call $at" [ $? -eq 137 ]
    [ -n "$(ls killed/*.part 2>/dev/null)" ] && break
  done
  note "a killed run leaves a temporary file" test -n "$(ls killed/*.part)"
  touch "killed/grains.pvd.$$-0.part" killed/mine.part "killed/mine.2000000000-0.part"
  run 0 run few.yaml --resume killed $alone
  note "which goes with the next one; those of living processes and others stay" \
    test "$(cd killed && echo *.part)" = "grains.pvd.$$-0.part mine.2000000000-0.part mine.part"
  rm killed/*.part
  run 0 run few.yaml --out dumped --dump every $alone
  run 0 run few.yaml --out dumped --force --steps 1 --dump worst $alone
  note "--force leaves no problem files" test "$(cd dumped && echo problem-*)" = problem-worst.hdf5
  touch "dumped/problem-000001.hdf5.2000000000-0.part"
  run 0 run few.yaml --out dumped --force --steps 1 $alone
  note "nor these" test -z "$(find dumped -name 'problem*')"
}

# Whatever happened: the run goes on from its newest checkpoint, or begins anew if it has none, and
# leaves the same files; the checkpoints that it keeps may be of other steps.
goes_on() { # what happened, to which directory
  local what=$1 folder=$2 code
  if [ -n "$(ls "$folder"/checkpoint-*.h5 2>/dev/null)" ]; then
    "$talus" run few.yaml --resume "$folder" --threads 1 --quiet >out 2>err
    code=$?
    grep -q "nothing to do" err && code=0
  else
    "$talus" run few.yaml --out "$folder" --force --threads 1 --quiet >out 2>err
    code=$?
  fi
  note "$what: it goes on with exit code $code" [ $code -eq 0 ]
  diff -rq whole "$folder" | grep -vE "^Only in (whole|$folder): checkpoint-[0-9]+.h5$" >err
  note "$what: the same files as those of a run in one piece" test ! -s err
}

# ---- from an older checkpoint -----------------------------------------------------------------------
# Its later lines and frames go; so the checkpoints of later steps are no place to go on from.
all="--set output.keep=9"
# shellcheck disable=SC2086
{
  run 0 run few.yaml --out branch $alone $all
  run 0 run few.yaml --out short --steps 7 $alone $all
  run 0 run few.yaml --resume branch/checkpoint-000006.h5 --steps 1 $alone $all
  diff -rq short branch | grep -vE "^Only in branch: checkpoint-0000(09|12).h5$" >err
  note "it leaves what a run of seven steps leaves" test ! -s err
  cp branch/scalars.csv table.csv
  run 2 run few.yaml --resume branch/checkpoint-000009.h5 $alone $all
  err_has "checkpoint-000009.h5 does not go with the scalars.csv beside it.* was of step 8.* of step 6 now"
  note "nothing is changed" cmp -s table.csv branch/scalars.csv
  run 0 run few.yaml --resume branch --out elsewhere --steps 1 $alone $all
  out_has "to t = 0.013 s"
  goes_on "after a restart from an older checkpoint" branch
  for at in 1 2 3; do # right after it has begun
    cp -r whole early
    "$inject" kill $at "$talus" run few.yaml --resume early/checkpoint-000009.h5 $alone >out 2>err
    note "killed at call $at" [ $? -eq 137 ]
    goes_on "killed at call $at of a restart from an older checkpoint" early
    rm -r early
  done
  rm -f branch/scalars.csv
  run 2 run few.yaml --resume branch --steps 1 $alone
  err_has "no checkpoint that goes with its scalars.csv"
}

# ---- every call that can go wrong -------------------------------------------------------------------
strike() { # kind, call, arguments of `talus run` into the directory bad
  local kind=$1 at=$2 what code saved
  shift 2
  what="$kind at call $at of run $*"
  "$inject" "$kind" "$at" "$talus" run "$@" >out 2>err
  code=$?
  case $kind in
  short) note "$what: exit code $code" [ $code -eq 0 ] ;;
  kill | torn) note "$what: exit code $code" [ $code -eq 137 ] ;;
  *) # what is only cleaning up may fail without harm
    note "$what: exit code $code and a reason" test "$code" -eq 2 -a -s err -o "$code" -eq 0
    saved=$(sed -n 's/.*-0*\([0-9][0-9]*\).h5 holds the state after step \([0-9]*\):.*/\1 \2/p' err)
    if [ -n "$saved" ]; then
      note "$what: the file is that of the step named" [ "${saved% *}" -eq "${saved#* }" ]
      note "$what: it is there" test -s "bad/checkpoint-$(printf %06d "${saved#* }").h5"
    fi
    saved=$(sed -n 's/.*goes on from \(.*h5\)$/\1/p' err)
    [ -z "$saved" ] || note "$what: $saved is there" test -s "$saved"
    grep -q "no checkpoint to go on from" err &&
      note "$what: there is no checkpoint" test -z "$(ls bad/checkpoint-*.h5 2>/dev/null)"
    ;;
  esac
  goes_on "$what" bad
}

# All calls with TALUS_FAULTS=all, which takes a quarter of an hour; else some of each kind.
stride=37
[ "${TALUS_FAULTS:-}" = all ] && stride=1
"$inject" kill $((calls / 2)) "$talus" run few.yaml --out half --threads 1 --quiet >out 2>err
cp -r half bad
# shellcheck disable=SC2086
"$inject" count 0 "$talus" run few.yaml --resume bad $alone >out 2>err
calls_after=$(tail -n 1 out)
offset=0
for kind in enospc eio full short kill torn; do
  offset=$((offset + 5))
  # shellcheck disable=SC2086
  for at in $(seq $((1 + offset % stride)) $stride "$calls"); do
    rm -rf bad
    strike $kind "$at" few.yaml --out bad $alone
  done
  # shellcheck disable=SC2086
  for at in $(seq $((1 + 2 * offset % stride)) $stride "$calls_after"); do
    rm -rf bad
    cp -r half bad
    strike $kind "$at" few.yaml --resume bad $alone
  done
done

# ---- killed again and again -------------------------------------------------------------------------
RANDOM=7
for round in 1 2; do
  rm -rf bad
  kills=0
  while [ $kills -lt 8 ]; do
    kind="kill"
    [ $((RANDOM % 2)) -eq 0 ] && kind=torn
    how="--out bad --force"
    [ -n "$(ls bad/checkpoint-*.h5 2>/dev/null)" ] && how="--resume bad"
    # shellcheck disable=SC2086
    "$inject" $kind $((1 + RANDOM % 60)) "$talus" run few.yaml $how $alone >out 2>err
    [ $? -eq 137 ] || break
    kills=$((kills + 1))
  done
  note "round $round: killed at least twice" [ $kills -ge 2 ]
  goes_on "round $round: killed $kills times" bad
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
