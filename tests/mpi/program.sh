#!/bin/sh
# program.sh TALUS MPIEXEC FLAG SCENES: `talus run` as processes of MPI: the files of one process; a
# run that goes on with another number; an interrupt; a process that is killed; what is refused.
talus=$1 mpiexec=$2 flag=$3 scenes=$4
failed=0

fail() {
  echo "failed: $*"
  failed=1
}

# on N ARGUMENTS: talus on N processes, its messages in `log`.
on() {
  count=$1
  shift
  timeout 120 "$mpiexec" "$flag" "$count" "$talus" "$@" >log 2>&1
}

rm -rf ./*.out kept
for scene in bed hopper shapes; do
  "$talus" run "$scenes/$scene.yaml" --out "$scene.out" --steps 12 --threads 1 --quiet >/dev/null
  on 4 run "$scenes/$scene.yaml" --out "$scene-4.out" --steps 12 --quiet || fail "$scene: $(cat log)"
  [ "$(grep -c "12 steps" log)" = 1 ] || fail "$scene: one process speaks: $(cat log)"
  for file in checkpoint-000012.h5 scalars.csv; do
    cmp "$scene.out/$file" "$scene-4.out/$file" || fail "$scene: $file differs"
  done
done

# 5 steps on 4 processes, 4 on 3, 3 on one
on 4 run "$scenes/bed.yaml" --out parts.out --steps 5 --quiet || fail "$(cat log)"
on 3 run "$scenes/bed.yaml" --resume parts.out --steps 4 --quiet || fail "$(cat log)"
"$talus" run "$scenes/bed.yaml" --resume parts.out --steps 3 --quiet >/dev/null || fail "resume alone"
cmp bed.out/checkpoint-000012.h5 parts.out/checkpoint-000012.h5 || fail "resumed: differs"

# a message on one process, one exit code
on 3 run "$scenes/bed.yaml" --out bad.out --set world.gravty=1 && fail "a wrong key was taken"
[ "$(grep -c gravty log)" = 1 ] || fail "a wrong key is told once: $(cat log)"
on 2 run "$scenes/nowhere.yaml" --out bad.out && fail "a scene that is not there was taken"
[ "$(grep -c 'nowhere.yaml' log)" = 1 ] || fail "a missing scene is told once: $(cat log)"
timeout 60 "$mpiexec" "$flag" 1 "$talus" run "$scenes/bed.yaml" --out bad.out : "$flag" 1 "$talus" run \
  "$scenes/bed.yaml" --set world.step=2ms --out bad.out >log 2>&1 && fail "two scenes were taken"
grep -q "rank 1 has another scene than rank 0" log || fail "two scenes: $(cat log)"
[ ! -d bad.out ] || fail "something was written of a run that was refused"
TALUS_MPI_LIBRARY=./nowhere.so on 2 run "$scenes/bed.yaml" --out bad.out && fail "ran without MPI"
[ "$(grep -c "build Talus with MPI" log)" = 1 ] || fail "without MPI, told once: $(cat log)"
on 6 run "$scenes/bed.yaml" --out idle.out --steps 6 --set world.brick_size=1m || fail "$(cat log)"
grep -q "ranks have no bricks and are idle" log || fail "idle ranks: $(cat log)"

# starts a long run, with more arguments, and waits for its first lines: mpiexec is $run, a process of it $process
start() {
  "$mpiexec" "$flag" 3 "$talus" run "$scenes/bed.yaml" --out "$1" --steps 100000 --quiet \
    --set output.every=1ms $2 >log 2>&1 &
  run=$!
  for wait in $(seq 100); do
    [ "$(cat "$1/scalars.csv" 2>/dev/null | wc -l)" -gt 3 ] && break
    sleep 0.1
  done
  process=$(pgrep -f "^$talus run .*--out $1 " | sed -n 2p) # mpiexec's child or grandchild
}

start interrupted.out
kill -TERM "$process" || fail "no process to interrupt"
wait $run
[ "$(ls interrupted.out/checkpoint-*.h5 | wc -l)" = 1 ] || fail "interrupted: $(ls interrupted.out)"
grep -q "go on by --resume" log || fail "interrupted: $(cat log)"

start killed.out "--set output.checkpoint=1ms" # it is always about to write one
begin=$(date +%s)
kill -KILL "$process" || fail "no process to kill"
wait $run && fail "a killed process was not noticed"
[ $(($(date +%s) - begin)) -le 10 ] || fail "others lived on for $(($(date +%s) - begin)) s"
[ -s log ] || fail "killed: no message"
step=$(ls killed.out/checkpoint-*.h5 | tail -n 1 | sed 's/.*-0*\([1-9][0-9]*\).h5/\1/')
on 2 run "$scenes/bed.yaml" --resume killed.out --steps 2 --quiet --set output.every=1ms \
  --set output.checkpoint=1ms || fail "killed, then resumed: $(cat log)"
last=$(printf 'checkpoint-%06d.h5' $((step + 2)))
"$talus" run "$scenes/bed.yaml" --out whole.out --steps $((step + 2)) --threads 1 --quiet \
  --set output.every=1ms --set output.checkpoint=1ms >/dev/null
cmp "killed.out/$last" "whole.out/$last" || fail "killed at step $step and resumed: differs"

[ $failed = 0 ] && echo "passed"
exit $failed
