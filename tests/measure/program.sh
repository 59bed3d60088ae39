#!/usr/bin/env bash
# `talus measure`: what it prints and writes, its exit codes, what it says to bad input.
#   program.sh TALUS HAVE_YAML
set -u
talus=$1
[ "$2" = 1 ] || [ "$2" = ON ] || { echo "skipped: built without libyaml" && exit 77; }
failed=0
check() { # a name, then a condition as a command
  local name=$1
  shift
  "$@" || { echo "failed: $name" && failed=1; }
}
says() { # exit code, words, arguments of talus
  local code=$1 words=$2 text
  shift 2
  text=$("$talus" "$@" 2>&1)
  local got=$?
  [ $got -eq "$code" ] || { echo "failed: talus $* ends with $got, not $code: $text" && failed=1; }
  case $text in
  *"$words"*) ;;
  *) echo "failed: talus $* says nothing of '$words': $text" && failed=1 ;;
  esac
}
rm -rf beads beads.yaml list.yaml elsewhere
cat >beads.yaml <<'SCENE'
walls: [{kind: box, name: tray, size: [8 cm, 8 cm, 8 cm]}]
grains: [{kind: random, radius: 5 mm, count: 60}]
output: {every: 20 ms}
run: {time: 0.2 s}
SCENE
"$talus" run beads.yaml --out beads --quiet >/dev/null 2>&1
says 0 "all_packing_fraction" measure beads
says 0 "11 frames measured" measure beads --quiet
check "averages are there" test -s beads/measured/averages.csv
says 0 "6 frames measured" measure beads --begin 100ms --out elsewhere
check "other directory" test -s elsewhere/measure.csv
says 0 "+-" measure beads --add '{name: low, with: tray, region: {lower: [-4 cm, -4 cm, 0], upper: [4 cm, 4 cm, 1 cm]}}'
printf -- '- {kind: profile, name: height, bins: 4}\n- {kind: forces, name: f}\n' >list.yaml
says 0 "11 frames" measure beads --file list.yaml
check "profile" test "$(wc -l <beads/measured/height.csv)" -eq 5
says 0 "all_packing_fraction" measure beads # columns, then measurements without: profiles, distributions, fields
box='region: {lower: [-4 cm, -4 cm, 0], upper: [4 cm, 4 cm, 4 cm]}'
for kind in "kind: profile, name: p, bins: 4" "kind: radial, name: g, reach: 1 cm" "kind: forces, name: f" \
  "kind: fields, name: c, width: 5 mm, $box"; do
  says 0 "11 frames measured" measure beads --add "{$kind}"
  check "$kind: no averages of before" test "$(cat beads/measured/averages.csv)" = "name,unit,mean,error,least,largest,count,block"
  check "$kind: the table has times alone" test "$(head -n 1 beads/measured/measure.csv)" = "step,time [s]"
  check "$kind: a line for each frame" test "$(wc -l <beads/measured/measure.csv)" -eq 12
  check "$kind: nothing of before" test -z "$("$talus" measure beads --add "{$kind}" | grep packing)"
done
says 0 "no grain of any frame is in its region" \
  measure beads --add '{name: far, region: {lower: [5, 5, 5], upper: [6, 6, 6]}}'
says 0 "usage: talus measure DIR" measure --help
says 2 "no grains.pvd" measure nowhere
says 2 "(from 3 s): they go from 0 s to 0.2 s" measure beads --begin 3
says 2 "before" measure beads --begin 3 --end 2
says 2 "--add {name: a, width: 3}" measure beads --add '{name: a, width: 3}'
says 2 "is called 'nobody'" measure beads --add '{name: a, with: nobody}'
says 2 "the kernel is wider than the region" measure beads \
  --add '{kind: fields, name: a, width: 1, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}'
says 2 "measure[0].region: fields want a box" measure beads --add '{kind: fields, name: a, width: 1 cm}'
check "what is wrong is no file" test -z "$("$talus" measure beads --add '{kind: fields, name: a, width: 1 cm}' 2>&1 | grep claims)"
says 2 "list of measurements" measure beads --file beads.yaml
says 2 "cannot be" measure beads --out nowhere/at/all
[ $failed -eq 0 ] && echo "passed"
exit $failed
