#!/usr/bin/env bash
# Drives `talus scene`, `run`, `render` and `plot` as a user would.
#   program.sh TALUS SOURCE HAVE_YAML(0|1) HAVE_HDF5(0|1) HAVE_PNG(0|1) HAVE_CAIRO(0|1)
set -u
talus=$1 scenes=$2/samples/scenes yaml=$3 hdf5=$4 png=$5 cairo=$6
[ "$yaml" = 1 ] && [ "$hdf5" = 1 ] || exit 77
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

for verb in scene run render plot; do
  run 0 "$verb" --help
  out_has "usage: talus $verb"
done

# ---- scene ------------------------------------------------------------------------------------------
run 0 scene check "$scenes/minimal.yaml"
out_has "200 free"
run 0 scene check "$scenes/minimal.yaml" --set grains.0.count=20 --set "title=a test"
out_has "20 free"
out_has "title      a test"
run 2 scene check missing.yaml
err_has "missing.yaml"
run 2 scene chekc "$scenes/minimal.yaml"
printf 'world:\n  setp: 1 ms\n' >bad.yaml
run 2 scene check bad.yaml
err_has "bad.yaml:2:3: unknown key 'setp' in world (did you mean step?)"
run 2 run bad.yaml
note "nothing is written for a bad scene" test ! -e bad.out
run 0 scene reference
out_has "| .gravity. |"

# ---- run --------------------------------------------------------------------------------------------
few="--set grains.0.count=40 --set output.every=5ms --threads 1 --quiet"
# shellcheck disable=SC2086 # a list of options
{
  run 0 run "$scenes/minimal.yaml" --out whole --steps 60 $few
  out_has "whole: 60 steps to t = 0.06 s"
  for file in grains.pvd scalars.csv checkpoint-000060.h5 scene.yaml; do
    note "$file is there" test -s "whole/$file"
  done
  # the contact problem of the next step, for the solver alone
  run 0 run "$scenes/minimal.yaml" --out thrown --steps 60 $few --problem thrown.dat
  run 0 solve thrown.dat --tol 1e-3 --json
  note "as many contacts as the run had" grep -qE '"contacts": [1-9]' out
  run 2 run "$scenes/minimal.yaml" --out unwritten --steps 1 $few --problem missing/x.dat
  err_has "cannot write missing/x.dat"
  absent unwritten
  # the worst of all contact problems, and nothing else changed
  run 0 run "$scenes/minimal.yaml" --out watched --steps 60 $few --dump worst
  run 0 solve watched/problem-worst.hdf5 --tol 1e-3
  note "watching changes nothing" cmp -s whole/scalars.csv watched/scalars.csv
  run 0 run "$scenes/minimal.yaml" --out watched --steps 3 $few --dump every --force
  note "every problem is there" test -s watched/problem-000003.hdf5
  # never over another run
  sum=$(cat whole/* | cksum)
  run 2 run "$scenes/minimal.yaml" --out whole --steps 60 $few
  err_has "holds a run already"
  note "the old run is as it was" test "$sum" = "$(cat whole/* | cksum)"
  # nor into one that is going on, whatever is asked; a killed one holds nothing back
  "$talus" run "$scenes/minimal.yaml" --out live --steps 1000000000 $few >/dev/null 2>&1 &
  live=$!
  for _ in $(seq 600); do
    [ -e live/checkpoint-000001.h5 ] || [ -s live/scalars.csv ] && break
    sleep 0.1
  done
  run 2 run "$scenes/minimal.yaml" --out live --steps 3 $few
  err_has "live is being written by process $live"
  run 2 run "$scenes/minimal.yaml" --out live --steps 3 $few --force
  err_has "live is being written by process $live"
  run 2 run "$scenes/minimal.yaml" --resume live --steps 3 $few
  err_has "live is being written by process $live"
  note "the live run goes on" kill -9 "$live"
  wait "$live" 2>/dev/null
  run 0 run "$scenes/minimal.yaml" --out live --steps 3 $few --force
  absent live/.lock
  # in pieces: the same bytes, also on other numbers of threads
  run 0 run "$scenes/minimal.yaml" --out pieces --steps 23 $few
  run 0 run "$scenes/minimal.yaml" --resume pieces --steps 37 $few --threads 2
  for file in whole/*; do
    note "${file#whole/} is the same in pieces" cmp -s "$file" "pieces/${file#whole/}"
  done
  run 0 run "$scenes/minimal.yaml" --resume pieces/checkpoint-000060.h5 --out further --time 0.07 $few
  out_has "further: 10 steps to t = 0.07 s"
  # a motor in pieces, from a checkpoint in the middle of a turn
  mix="--set grains.beads.count=25 --set output.every=5ms --set joints.shaft.rate=20"
  run 0 run "$scenes/mixer.yaml" --out mixed --steps 40 $few $mix
  run 0 run "$scenes/mixer.yaml" --out mixed_pieces --steps 17 $few $mix
  run 0 run "$scenes/mixer.yaml" --resume mixed_pieces --steps 23 $few $mix
  for file in mixed/*; do
    note "${file#mixed/} is the same in pieces" cmp -s "$file" "mixed_pieces/${file#mixed/}"
  done
  # liquid bridges, whose state is in the impulses
  printf '%s\n' 'materials: {bead: {surface_tension: 72 mN/m, bridge_volume: 200 nl}}' \
    'walls: [{kind: box, size: [3 cm, 3 cm, 5 cm]}]' \
    'grains: [{kind: random, radius: 3 mm, count: 40}]' 'output: {every: 10 ms}' >wet.yaml
  run 0 run wet.yaml --out wet --steps 100 --threads 1 --quiet
  run 0 run wet.yaml --out wet_pieces --steps 63 --threads 1 --quiet
  run 0 run wet.yaml --resume wet_pieces --steps 37 --threads 2 --quiet
  note "a wet run goes on to the bit" cmp -s wet/scalars.csv wet_pieces/scalars.csv
  # a cell that shears and shrinks
  printf '%s\n' 'world: {gravity: [0, 0, 0]}' \
    'cell: {lower: [0, 0, 0], upper: [4 cm, 4 cm, 4 cm], rate: [-1 Hz, 0, 0], shear: [0, 9 Hz, 0]}' \
    'grains: [{kind: random, radius: 3 mm, count: 80}]' 'output: {every: 10 ms}' >cell.yaml
  run 0 run cell.yaml --out cell --steps 200 --threads 1 --quiet
  run 0 run cell.yaml --out cell_pieces --steps 123 --threads 1 --quiet
  run 0 run cell.yaml --resume cell_pieces --steps 77 --threads 2 --quiet
  note "a cell goes on to the bit" cmp -s cell/scalars.csv cell_pieces/scalars.csv
  run 2 run cell.yaml --out narrow --steps 1 --set "cell.upper=[1cm,4cm,4cm]" \
    --set grains.0.count=2 --quiet
  err_has "less than two diameters of grain 0"
  run 2 run "$scenes/minimal.yaml" --resume pieces --time 0.05 $few
  err_has "nothing to do"
  run 2 run "$scenes/minimal.yaml" --resume pieces --set world.step=2ms $few
  err_has "another scene"
  run 2 run "$scenes/minimal.yaml" --resume nowhere $few
  # meshes are part of the scene: of walls and of robots
  facet() { printf 'facet normal 0 0 1\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n' "$@"; }
  floor() { printf 'solid s\n'; facet "-1 -1 0" "1 -1 0" "0 1 $1"; printf 'endsolid s\n'; }
  horn() {
    printf 'solid s\n'
    facet "0 0 0" "0 1 0" "1 0 0"; facet "0 0 0" "1 0 0" "0 0 $1"
    facet "1 0 0" "0 1 0" "0 0 $1"; facet "0 1 0" "0 0 0" "0 0 $1"
    printf 'endsolid s\n'
  }
  cat >robot.urdf <<'ROBOT'
<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="horn.stl" scale="0.01 0.01 0.01"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>
ROBOT
  cat >mesh.yaml <<'SCENE'
walls: [{kind: mesh, file: floor.stl, holes: allow}]
bodies: [{radius: 1 cm, position: [0, 0, 2 cm]}]
mechanisms: [{name: r, urdf: robot.urdf, position: [0, 0, 1]}]
SCENE
  floor 0 >floor.stl
  horn 1 >horn.stl
  robots=1
  "$talus" scene check mesh.yaml 2>&1 | grep -q "no expat" && sed -i /urdf/d mesh.yaml && robots=0
  run 0 run mesh.yaml --out mesh.out --steps 3 --threads 1 --quiet
  floor 1e-12 >floor.stl
  run 2 run mesh.yaml --resume mesh.out --steps 3 --threads 1 --quiet
  err_has "mesh.yaml:1:.*the mesh floor.stl has changed since the checkpoint was written"
  floor 0 >floor.stl
  horn 1.5 >horn.stl
  [ "$robots" = 0 ] || {
    run 2 run mesh.yaml --resume mesh.out --steps 3 --threads 1 --quiet
    err_has "mesh.yaml:3:.*a mesh of robot.urdf has changed"
  }
  horn 1.0 >horn.stl
  run 0 run mesh.yaml --resume mesh.out --steps 3 --threads 1 --quiet
  # the run's own copy of a scene finds its files
  run 0 run mesh.out/scene.yaml --resume mesh.out --steps 3 --threads 1 --quiet
  run 0 run mesh.yaml --resume mesh.out --steps 3 --threads 1 --quiet
  # ... also when both were moved together, wherever they are, and whatever the folder is called
  folder_is() { note "folder is $2 in $1" grep -qxF "folder: \"$2\"" "$1/scene.yaml"; }
  floor_in() {
    mkdir -p "$1" && cp floor.stl "$1"
    printf '%s\n' 'walls: [{kind: mesh, file: floor.stl, holes: allow}]' >"$1/s.yaml"
  }
  floor_in first/deep
  run 0 run first/deep/s.yaml --out first/deep/far/out --steps 1 --threads 1 --quiet
  folder_is first/deep/far/out ../..
  run 0 run first/deep/s.yaml --out first/deep --steps 1 --threads 1 --quiet --force
  folder_is first/deep .
  run 0 run first/deep/s.yaml --out first/deeper --steps 1 --threads 1 --quiet
  folder_is first/deeper "$PWD/first/deep"
  mv first second
  run 0 scene check second/deep/far/out/scene.yaml
  run 0 scene check second/deep/scene.yaml
  printf 'folder: %s\nwalls: [{kind: mesh, file: %s/floor.stl, holes: allow}]\n' \
    "$(pwd -P | sed 's,[^/]*,..,g; s,^\.\./,,')" "$(pwd -P | sed 's,^/,,')" >root.yaml
  run 0 run root.yaml --out root.out --steps 1 --threads 1 --quiet
  folder_is root.out /
  run 0 scene check root.out/scene.yaml
  for name in $'nel\u0085x' $'sep\u2028\u2029x' $'a \u0085  \u00e9 b' $'bom\ufeff\x7f' 'b "q" #x: {y} \n'; do
    floor_in "$name"
    run 0 run "$name/s.yaml" --out odd.out --steps 1 --threads 1 --quiet --force --set title=odd
    run 0 scene check odd.out/scene.yaml
  done
  if floor_in $'latin\xe9' 2>/dev/null; then
    for set in "" "--set run.steps=1"; do # shellcheck disable=SC2086
      run 0 run $'latin\xe9/s.yaml' --out latin.out --steps 1 --threads 1 --quiet --force $set
      err_has "has a name that is not UTF-8"
      note "told once" test "$(grep -c UTF-8 err)" = 1
      cp floor.stl latin.out
      run 0 scene check latin.out/scene.yaml
    done
  fi
  run 2 run "$scenes/minimal.yaml" --time 1 --steps 1 $few
  # more steps than can be counted, or none: told before anything is replaced
  sum=$(cat whole/* | cksum)
  run 2 run "$scenes/minimal.yaml" --out whole --force --time 1e300 $few
  err_has "a run has at most 9e+15"
  run 2 run "$scenes/minimal.yaml" --out whole --force --time 1e-12 $few
  err_has "nothing to do"
  note "the old run is as it was" test "$sum" = "$(cat whole/* | cksum)"
  head -c 3000 whole/checkpoint-000060.h5 >cut.h5
  run 2 run "$scenes/minimal.yaml" --resume cut.h5 --steps 1 $few
  err_has "cut.h5"
  # replaced when asked to, and nothing else in the folder is touched
  touch whole/notes.txt
  run 0 run "$scenes/minimal.yaml" --out whole --steps 10 --force $few
  note "notes stay" test -e whole/notes.txt
  note "old frames are gone" test ! -e whole/checkpoint-000060.h5
  run 2 run "$scenes/minimal.yaml" --out bad.yaml/x --steps 1 $few
  run 2 run "$scenes/minimal.yaml" --out columns --steps 1 --set output.columns=kinetik $few
  err_has "did you mean kinetic?"
  # Ctrl-C
  "$talus" run "$scenes/minimal.yaml" --out stopped --time 1000 $few >out 2>err &
  child=$!
  for _ in $(seq 600); do [ -s stopped/scalars.csv ] && break || sleep 0.1; done
  kill -TERM $child
  wait $child
  note "an interrupted run ends with 130" [ $? -eq 130 ]
  err_has "go on by --resume stopped"
  note "and leaves a checkpoint" test -n "$(ls stopped/checkpoint-*.h5)"
  run 0 run "$scenes/minimal.yaml" --resume stopped --steps 1 $few
  # a step that cannot be solved: a checkpoint, the problem, a message
  run 3 run "$scenes/minimal.yaml" --out failing --steps 400 $few --set world.max_iterations=1 \
    --set world.tolerance=1e-14 --set world.accept=1e-13 --set world.method=jacobi
  err_has "above the accepted"
  run 0 solve failing/failed-*.hdf5 --tol 1e-3
}

# ---- what is told -----------------------------------------------------------------------------------
# materials that are there by mistake; columns; what a scene holds
printf '%s\n' 'materials: {glass: {}, steel: {friction: 0.1}}' 'walls: [{kind: box, name: lid, size: [4 cm, 4 cm, 6 cm]}]' \
  'grains:' '  - {kind: random, radius: 3 mm, count: 10}' \
  '  - {kind: random, count: 5, shape: clump, parts: [{radius: 2 mm}, {radius: 2 mm, position: [2 mm, 0, 0]}]}' \
  'output: {every: 10 ms, packing: true}' 'run: {time: 40 ms}' >told.yaml
run 2 scene check told.yaml --set materials.glas.friction=0.2
err_has "no material 'glas' (did you mean glass?)"
run 2 run told.yaml --set materials.glas.friction=0.2
run 2 sweep told.yaml --set materials.glas.friction=0.2,0.3
err_has "no material 'glas'"
run 0 scene check told.yaml --set materials.glass.friction=0.2
err_has "told.yaml:1:31: material 'steel' is used by nothing"
run 2 scene check told.yaml --set 'output.columns=[kinetik]'
err_has "did you mean kinetic?"
run 0 scene check "$scenes/chute.yaml"
out_has "periodic in x y"
run 2 scene check told.yaml --set 'stages=[{time: 1 s, until: [{column: kinetic, below: 1e-5 Pa}]}]'
err_has "an energy (J)"
# a table leaves clumps out, and the run is not lost by them
run 0 run told.yaml --out told --threads 1 --quiet
err_has "lack 5 bodies"
note "the table has the others" test "$(wc -l <told/packing.csv)" -eq 11
note "the checkpoint is there" test -s told/checkpoint-000040.h5
# what does not fit steps is said
run 0 run told.yaml --out told --threads 1 --quiet --force --time 10.4ms --set output.every=1.5ms
err_has "output.every, 0.0015 s, is no whole number of steps"
err_has "the run ends at 0.011 s"
# the step that a refused one is told to take does
printf '%s\n' 'world: {step: 5 ms}' 'walls: [{kind: box, size: [4 cm, 4 cm, 4 cm], thickness: 1 mm}]' \
  'grains: [{kind: random, radius: 2 mm, count: 20, velocity: [3 m/s, 0, -10 m/s]}]' \
  'run: {time: 20 ms}' >thin.yaml
run 3 run thin.yaml --out thin --threads 1 --quiet
err_has "of half the thickness of fixed body 0, 0.0005 m,"
step=$(sed -n 's/.*a step of \([^ ]*\) s would do.*/\1/p' err)
note "the step is no smaller than it needs to be: $step" test -n "$(echo "$step" | awk '$1 >= 0.5e-3')"
run 0 run thin.yaml --out thin --threads 1 --quiet --force --set "world.step=$step"
# the work of every step is where the kinetic energy goes
run 0 run told.yaml --out work --threads 1 --quiet --set output.every=1ms
note "energy is budgeted" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, word, " "); at[word[1]] = i } }
  NR == 2 { begin = $at["kinetic"] }
  NR > 2 { work += $at["work_contacts"] + $at["work_forces"] + $at["work_motion"] + $at["work_joints"]; end = $at["kinetic"]
           moves = moves || $at["mean_velocity_z"] < -0.1 }
  END { gap = end - begin - work; exit !(moves && gap * gap < 1e-12 * end * end) }' work/scalars.csv
# what --set changed is in the folder: to go on with, and to measure
run 0 run told.yaml --out set --threads 1 --quiet --steps 10 --set materials.glass.friction=0.7 \
  --set 'output.measure=[{name: here}]' --set 'title="a: \"b\""'
run 2 run told.yaml --resume set --threads 1 --quiet --steps 10
err_has "materials.glass.friction is 0.7 there and not given here"
run 0 run set/scene.yaml --resume set --threads 1 --quiet --steps 10
run 0 measure set
out_has "here_packing_fraction"
# bodies of a checkpoint whose material the next scene has not
printf '%s\n' 'materials: {glas: {}}' 'walls: [{kind: plane}]' >next.yaml
run 2 run next.yaml --from set --quiet
err_has "set/checkpoint-000020.h5: bodies of the checkpoint are of the material 'glass'"
err_has "did you mean glas?"
err_has "has the materials glass, steel"
# one that no scene named becomes the first
printf '%s\n' 'walls: [{kind: plane}]' 'bodies: [{radius: 1 cm, position: [0, 0, 1 cm]}]' >unnamed.yaml
run 0 run unnamed.yaml --out unnamed --threads 1 --quiet --steps 2
run 0 run next.yaml --from unnamed --out next --threads 1 --quiet --steps 2
# of a scene that names none it is called default
run 0 scene check unnamed.yaml --set materials.default.friction=0.2

# ---- pictures ---------------------------------------------------------------------------------------
run 2 render nowhere
run 2 plot nowhere
run 0 plot whole --list
out_has "^kinetic \[J\]$"
run 2 plot whole --columns kinetc
err_has "did you mean kinetic?"
if [ "$png" = 1 ]; then
  run 0 render pieces --width 64 --height 48 --threads 1
  note "a picture is there" test -s pieces/frame-00000060.png
  run 2 render pieces --frame 99
  err_has "frames 0 to 12"
  run 2 render pieces --low 5 --high 1
  err_has "low 5 is not below"
  run 2 render pieces --images 1
  err_has "has no periodic cell"
  mkdir -p no_program
  PATH=no_program run 2 render pieces --movie --width 32 --height 24 --threads 1
  err_has "ffmpeg is not installed"
  # shellcheck disable=SC2086 # a list of options
  run 0 run "$scenes/minimal.yaml" --out loose --steps 60 $few --set output.contacts=false
  run 0 render loose --chains --width 64 --height 48 --threads 1
  err_has "set output.contacts: true"
  run 0 render pieces --chains --width 64 --height 48 --threads 1 --all
  err_empty
  run 0 render pieces --frame 0 --field radius --out one.png --width 64 --height 48 --threads 1
  note "a picture is there" test -s one.png
fi
if [ "$cairo" = 1 ]; then
  run 0 plot pieces --columns kinetic,potential --out plot.png
  note "a plot is there" test -s plot.png
  run 0 plot whole --columns time,kinetic --log-y --out zero.svg
  err_has "values are not above 0"
  run 0 plot whole pieces/ --columns kinetic --log-y --out several.svg
  note "a plot is there" grep -q "<svg" several.svg
  run 0 plot whole pieces --columns kinetic,potential --band deviation --out mean.pdf
  note "a plot is there" eval '[ "$(head -c 4 mean.pdf)" = %PDF ]'
  run 2 plot whole pieces --columns kinetic --x potential --band error --out no.png
  err_has "needs an x that grows"
  run 2 plot whole --out plot.gif
  err_has "ends with .png, .svg or .pdf"
  absent no.png
  # A file that is no library stands for one that is not installed.
  mkdir nothing && echo >nothing/libcairo.so.2
  LD_LIBRARY_PATH=nothing run 2 plot whole --columns kinetic --out no.png
  err_has "libcairo.so.2 cannot be loaded (Debian: libcairo2)"
  absent no.png
  if [ "$png" = 1 ]; then
    LD_LIBRARY_PATH=nothing run 0 render pieces --frame 0 --out wordless.png --width 64 --height 48 --threads 1
    err_has "pictures have no text: libcairo.so.2"
    note "a picture is there" test -s wordless.png
  fi
else
  run 2 plot pieces --columns kinetic,potential --out plot.png
  err_has "libcairo2-dev"
  absent plot.png
fi
run 2 plot
err_has "PATH is missing"
run 2 plot whole nowhere
err_has "nowhere"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
