#!/bin/sh
# program.sh TALUS MPIEXEC FLAG SCENES: `talus run` as processes of MPI: the files of one process; a
# run that goes on with another number; contact problems; bodies of another run; an interrupt; a
# process that is killed; what is refused. `talus info` and `talus bench world`, too; verbs that are the
# work of one process.
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

# the contact problem of the next step, and of one that fails
"$talus" run "$scenes/bed.yaml" --out next.out --steps 8 --threads 1 --quiet --problem next.hdf5 >/dev/null
on 3 run "$scenes/bed.yaml" --out next-3.out --steps 8 --quiet --problem next-3.hdf5 || fail "problem: $(cat log)"
# same_problem FILE OTHER: they have the same length, and other bytes only in the date of writing
same_problem() {
  [ "$(wc -c <"$1")" = "$(wc -c <"$2")" ] && [ "$(cmp -l "$1" "$2" | wc -l)" -le 24 ] || fail "$1 and $2 differ"
}
same_problem next.hdf5 next-3.hdf5
fails="--set world.on_miss=stop --set world.tolerance=1e-14 --set world.accept=1e-14 --set world.max_iterations=1"
"$talus" run "$scenes/bed.yaml" --out fails.out --steps 20 --threads 1 --quiet $fails >/dev/null 2>&1
[ $? = 3 ] || fail "no step failed"
on 3 run "$scenes/bed.yaml" --out fails-3.out --steps 20 --quiet $fails && fail "no step failed on processes"
same_problem fails.out/failed-000000.hdf5 fails-3.out/failed-000000.hdf5
cmp fails.out/checkpoint-000000.h5 fails-3.out/checkpoint-000000.h5 || fail "a step that fails: differs: $(cat log)"
[ "$(grep -c "holds its contact problem" log)" = 1 ] || fail "a step that fails is told once: $(cat log)"

# the bodies of another run; a checkpoint that only some processes find
cat >box.yaml <<'END'
world: {step: 1 ms, brick_size: 3 cm}
walls: [{kind: box, size: [9 cm, 9 cm, 20 cm]}]
output: {frames: false, every: 10 ms}
run: {steps: 60}
END
from="box.yaml --from bed.out/checkpoint-000012.h5 --steps 4 --quiet"
"$talus" run $from --out from.out --threads 1 >/dev/null || fail "from alone"
on 3 run $from --out from-3.out || fail "from: $(cat log)"
cmp from.out/checkpoint-000004.h5 from-3.out/checkpoint-000004.h5 || fail "from: differs"
"$talus" run "box.yaml" --resume from.out --steps 2 --threads 1 --quiet >/dev/null || fail "from, resumed"
on 2 run "box.yaml" --resume from-3.out --steps 2 --quiet || fail "from, resumed: $(cat log)"
cmp from.out/checkpoint-000006.h5 from-3.out/checkpoint-000006.h5 || fail "from, resumed: differs"
# two FIRST SECOND MESSAGE: a run of two processes with arguments of their own is refused, told once
two() {
  timeout 60 "$mpiexec" "$flag" 1 "$talus" run $1 --out bad.out : "$flag" 1 "$talus" run $2 --out bad.out \
    >log 2>&1 && fail "$3: was taken"
  [ "$(grep -c "$3" log)" = 1 ] || fail "$3: $(cat log)"
}
two "$from" "box.yaml --from nowhere.h5" "nowhere.h5"
mkdir -p empty.out
two "$from" "box.yaml --from empty.out" "empty.out"

# a message on one process, one exit code
on 3 run "$scenes/bed.yaml" --out bad.out --stepz 3 && fail "a wrong option was taken"
[ "$(grep -c "did you mean --steps" log)" = 1 ] || fail "a wrong option is told once: $(cat log)"
two "$scenes/bed.yaml" "$scenes/bed.yaml --stepz 3" "did you mean --steps"
on 3 run --help || fail "help: $(cat log)"
[ "$(grep -c "^usage:" log)" = 1 ] || fail "help is told once: $(cat log)"
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
on 2 run "$scenes/bed.yaml" --out alone.out --steps 1 --set world.brick_size=0 || fail "$(cat log)"
[ "$(grep -c "no world.brick_size: each of the 2 processes" log)" = 1 ] || fail "no bricks: $(cat log)"

on 2 run "$scenes/bed.yaml" --out alone.out --force --steps 1 || fail "$(cat log)"
grep -q "prefer threads" log && fail "a bed is shared: $(cat log)"
for what in world.islands=true world.method=apgd; do
  on 2 run "$scenes/bed.yaml" --out alone.out --force --steps 1 --set $what || fail "$(cat log)"
  [ "$(grep -c "(${what%%=*}).*each process makes every step whole" log)" = 1 ] || fail "$what: $(cat log)"
done

# where processes are, and what a step costs
on 3 info || fail "info: $(cat log)"
[ "$(grep -c "^version\|^talus" log)" -le 1 ] || fail "info is told once: $(cat log)"
[ "$(grep -c "^rank [0-2] .* threads, load" log)" = 3 ] || fail "info: $(cat log)"
on 2 info --json || fail "info: $(cat log)"
[ "$(grep -c '"load"' log)" = 2 ] || fail "info: $(cat log)"
on 2 bench world --grains 300 --layers 5 --settle 0.01 --steps 3 --bricks 4 --json || fail "bench: $(cat log)"
[ "$(grep -c '"grains"' log)" = 1 ] || fail "bench: $(cat log)"
on 2 bench world --grains x && fail "a wrong number was taken"
[ "$(grep -c -e "--grains" log)" = 1 ] || fail "bench: $(cat log)"

# work of one process is done once, also where it starts others, and with its exit code
on 3 scene check "$scenes/bed.yaml" || fail "scene check: $(cat log)"
[ "$(grep -c ": good" log)" = 1 ] || fail "scene check is done once: $(cat log)"
grep -q "scene is the work of one process: the first of 3 does it" log || fail "scene check: $(cat log)"
on 3 scene check "$scenes/bed.yaml" --set world.gravty=1
[ $? = 2 ] && [ "$(grep -c gravty log)" = 1 ] || fail "scene check fails once: $(cat log)"
"$talus" run "$scenes/bed.yaml" --out frames.out --steps 4 --set output.frames=true --quiet >/dev/null || fail "frames"
on 3 measure frames.out --out measured || fail "measure: $(cat log)"
[ "$(grep -c "frames measured" log)" = 1 ] || fail "measure is done once: $(cat log)"
on 2 sweep "$scenes/bed.yaml" --set world.seed=1,2 --set run.steps=2 --out swept.out || fail "sweep: $(cat log)"
[ "$(ls swept.out/runs/*/checkpoint-000002.h5 | wc -l)" = 2 ] || fail "sweep: $(ls -R swept.out; cat log)"
on 2 --version || fail "version: $(cat log)"
[ "$(grep -c "^talus" log)" = 1 ] || fail "the version is told once: $(cat log)"
on 2 rnu && fail "an unknown verb was taken"
[ "$(grep -c "did you mean run" log)" = 1 ] || fail "an unknown verb is told once: $(cat log)"

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
