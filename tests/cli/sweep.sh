#!/usr/bin/env bash
# `talus sweep`: combinations, tables, means, plots; going on after Ctrl-C; runs that fail; refusals.
#   sweep.sh TALUS HAVE_YAML(0|1) HAVE_HDF5(0|1) HAVE_CAIRO(0|1)
set -u
talus=$(realpath "$1") yaml=$2 hdf5=$3 cairo=$4
[ "$yaml" = 1 ] && [ "$hdf5" = 1 ] || exit 77
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

cat >few.yaml <<'END'
world: {step: 1 ms}
walls:
  - {kind: plane}
grains:
  - {kind: random, region: {lower: [-5 cm, -5 cm, 0], upper: [5 cm, 5 cm, 10 cm]}, radius: 5 mm, count: 8}
bodies:
  - {name: marker, radius: 5 mm, position: [0.2, 0, 0.1]}
  - {name: other, radius: 5 mm, position: [0.2, 0, 0.2]}
output: {every: 10 ms, frames: false}
run: {time: 50 ms}
END
run 0 scene check few.yaml
rows() { note "$1 has $2 lines" [ "$(wc -l <"$1")" -eq "$2" ]; }

# ---- a study ----------------------------------------------------------------------------------------
run 0 sweep few.yaml --set materials.grain.friction=0.1,0.5 --set world.step=1ms..3ms:2ms --seeds 1..3 \
  --jobs 2 --out a/study --columns kinetic,potential
out_has "^a/study: 12 of 12 runs finished$"
out_has "friction = 0.5, step = 3ms$"
if [ "$cairo" = 1 ]; then err_empty; else err_has "kinetic.png was not drawn: .*libcairo2-dev"; fi
rows a/study/results.csv 13
rows a/study/summary.csv 5
note "the table names its columns" grep -qx \
  'materials.grain.friction,world.step \[ms\],seed,kinetic \[J\],potential \[J\],outcome,run' a/study/results.csv
note "a line per run" grep -q '^0.5,3,2,.*,finished,runs/friction=0.5_seed=2_step=3ms$' a/study/results.csv
note "each run has a folder" [ "$(ls a/study/runs | wc -l)" -eq 12 ]
note "means and standard errors are those of the runs" awk -F, '
  FNR == 1 { file++; next }
  file == 1 { key = $1 "," $2; n[key]++; s[key] += $4; q[key] += $4 * $4 }
  file == 2 { key = $1 "," $2; mean = s[key] / n[key]
    error = sqrt((q[key] - n[key] * mean * mean) / (n[key] - 1) / n[key])
    lines++; if (n[key] != 3 || $3 != 3 || ($4 - mean)^2 > 1e-20 * mean^2 || ($5 - error)^2 > 1e-8 * error^2) bad = 1 }
  END { exit bad || lines != 4 }' a/study/results.csv a/study/summary.csv
note "the value is that of the last line" awk -F, -v want="$(awk -F, '
    $1 == "0.5" && $2 == 1 && $3 == 2 { print $4 }' a/study/results.csv)" '
  { last = $3 } END { exit (last - want)^2 > 1e-24 }' a/study/runs/friction=0.5_seed=2_step=1ms/scalars.csv
if [ "$cairo" = 1 ]; then
  note "a plot of each column" test -s a/study/kinetic.png -a -s a/study/potential.png
  run 0 plot a/study --columns kinetic --log-y --out time.svg
  note "the study over time" grep -q "<svg" time.svg
fi

# Again: nothing is run, other columns are measured; a further seed adds its runs only.
touch -d "2020-01-01" a/study/runs/*/scalars.csv
run 0 sweep few.yaml --set world.step=1ms,3ms --set materials.grain.friction=0.1,0.5 --seeds 1..4 --out a/study/ \
  --columns potential --at max --after 0.01 --format svg
out_has "^a/study: 16 of 16 runs finished, 12 of them before$"
note "finished runs were left alone" [ "$(find a/study/runs -name scalars.csv -newermt 2021-01-01 | wc -l)" -eq 4 ]
rows a/study/results.csv 17
[ "$cairo" = 0 ] || note "the plot is an SVG" grep -q "<svg" a/study/potential.svg
run 0 sweep few.yaml --set world.step=1ms --seeds 1,2 --out at --columns potential --at 0.035 --format none
note "a value between two lines" awk -F, -v want="$(awk -F, 'NR == 2 { print $3 }' at/results.csv)" '
  $2 > 0.0299 && $2 < 0.0301 { a = $4 } $2 > 0.0399 && $2 < 0.0401 { b = $4 }
  END { exit ((a + b) / 2 - want)^2 > 1e-24 * want^2 }' at/runs/seed=1_step=1ms/scalars.csv
absent at/potential.png

# ---- runs that fail ---------------------------------------------------------------------------------
run 3 sweep few.yaml --set "bodies.marker.position=[0.2, 0, 0.1],[0.2, 0, 0.195]" --seeds 1..2 --out fail
out_has "^fail: 2 of 4 runs finished$"
err_has "failed: exit code 2: .*overlap"
err_has "fail/logs/.*log"
note "they are in the table" [ "$(grep -c ',,,failed: exit code 2,' fail/results.csv)" -eq 2 ]
note "a value with commas stands in quotes" grep -q '^"\[0.2, 0, 0.1\]",1,' fail/results.csv

# ---- interrupted, and gone on with ------------------------------------------------------------------
study=(few.yaml --set world.step=0.01ms --seeds 1..3 --jobs 1 --time 0.2 --set output.every=2ms)
"$talus" sweep "${study[@]}" --out cut >out 2>err </dev/null &
sweep=$!
for _ in $(seq 200); do
  [ "$(cat cut/runs/every=2ms_seed=1*/scalars.csv 2>/dev/null | wc -l)" -lt 5 ] || break
  sleep 0.05
done
run 2 sweep "${study[@]}" --out cut
err_has "another talus sweep is at work there"
kill -TERM $sweep # a shell lets its jobs ignore SIGINT
wait $sweep
note "exit code of an interrupted study" [ $? -eq 130 ]
note "runs are left" grep -qE ',,(interrupted|waiting),' cut/results.csv
note "no run goes on" eval '! ps -o pid= --ppid $sweep >/dev/null 2>&1'
run 0 sweep "${study[@]}" --out cut
out_has "^cut: 3 of 3 runs finished"
run 0 sweep "${study[@]}" --out whole
for seed in 1 2 3; do
  note "seed $seed is the same as in one piece" cmp -s {cut,whole}/runs/every=2ms_seed=${seed}_step=0.01ms/scalars.csv
done

# ---- refusals ---------------------------------------------------------------------------------------
run 2 sweep few.yaml --set materials.grain.frictoin=0.1,0.2
err_has "did you mean friction?"
run 2 sweep few.yaml
err_has "nothing varies"
run 2 sweep nowhere.yaml --seeds 1..2
err_has "nowhere.yaml"
run 2 sweep few.yaml --set world.step
err_has "wants key=values"
for bad in 5..1 0.1..0.5 1..2:0 1..x 1ms..2s 1,,2 1,1 1..1e6; do
  run 2 sweep few.yaml --set world.step=$bad
  err_has "--set world.step: "
done
for bad in 1.5 x 1..3:0.5 -1 1mm; do
  run 2 sweep few.yaml --seeds=$bad
  err_has "--seeds wants whole numbers"
done
run 2 sweep few.yaml --set world.seed=1 --seeds 1..2
err_has "given twice"
run 2 sweep few.yaml --seeds 1 --at later
err_has "--at wants"
run 2 sweep few.yaml --seeds 1 --at 7
err_has "the runs end at 0.05 s"
absent few.sweep
run 2 sweep few.yaml --seeds 1..2 --columns kinetc
err_has "did you mean kinetic?"
run 0 sweep few.yaml --seeds 1..2 --columns kinetic
out_has "^few.sweep: 2 of 2"
run 2 sweep few.yaml --seeds 1..2 --time 0.06
err_has "with another --time"
echo "# changed" >>few.yaml
run 2 sweep few.yaml --seeds 1..2
err_has "a scene file that has changed"
run 0 sweep few.yaml --seeds 1..2 --force
out_has "^few.sweep: 2 of 2 runs finished$"
mkdir mine && touch mine/thesis.txt
run 2 sweep few.yaml --seeds 1 --out mine --force
err_has "is there and no study"
note "and nothing was put there" [ "$(ls -A mine)" = thesis.txt ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
