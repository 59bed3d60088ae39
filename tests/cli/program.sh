#!/usr/bin/env bash
# Drives the `talus` program as a user would: exit codes, what stands on stdout and on stderr, files.
#   program.sh TALUS HAVE_HDF5(0|1)
set -u
talus=$(realpath "$1") hdf5=$2
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

# json KEY...: stdout is JSON and nothing else, with these keys (of the first element of an array).
json() {
  if command -v python3 >/dev/null 2>&1; then
    note "JSON with keys $*" python3 -c '
import json, sys
value = json.load(open("out"), parse_constant=lambda name: sys.exit("not JSON: " + name))
rows = value if isinstance(value, list) else [value]
missing = [key for row in rows for key in sys.argv[1:] if key not in row]
sys.exit("missing: %s" % missing if missing or not rows else 0)' "$@"
  else
    for key in "$@"; do note "JSON key $key" grep -q "\"$key\": " out; done
  fi
}
# field KEY VALUE: of a JSON object.
field() { note "JSON $1 is $2" grep -qE "^ *\"$1\": $2,?\$" out; }

# ---- help and usage ---------------------------------------------------------------------------------
run 2
out_empty
err_has "usage: talus"
for verb in solve check generate info bench profile view; do
  run 0 --help
  out_has "  $verb "
  run 0 "$verb" --help
  out_has "usage: talus $verb"
  err_empty
done
run 0 solve nothing.hdf5 --nonsense --help
run 0 help solve
out_has "usage: talus solve"
out_has "gauss_seidel_nesterov|"
note "help keeps to 100 columns" awk 'length > 100 {bad = 1} END {exit bad}' out
run 2 help slove
err_has "did you mean solve?"
run 2 bench call --method all
run 0 bench world --help
out_has "usage: talus bench world"
run 0 bench call --contacts 3
out_has "(b) blocks"
run 0 bench call --method apgdb --json
out_has '"seconds_from_solution"'
run 2 bench call --contacts 65
run 2 bench wolrd
err_has "talus bench --help"
run 2 bench world --grains 1,x
err_has "grains wants whole numbers"
run 0 bench world --grains 60,90 --layers 3 --settle 0.01 --steps 5 --json
json beds law step
field grains 90
run 0 --version
out_has '^talus [0-9]*\.[0-9]*\.[0-9]*$'
run 2 slove x
out_empty
err_has "did you mean solve?"
run 2 frobnicate
err_has "unknown verb 'frobnicate'"
run 2 solve
err_has "FILE is missing"
run 2 solve a b
err_has "unexpected argument 'b'"
run 2 solve a --toll 1
err_has "no option --toll; did you mean --tol?"
run 2 solve a -x
err_has "'-x'"
run 2 solve a --tol
err_has "--tol wants a value"
run 2 solve a --impulses --json
err_has "--impulses wants a value"
run 2 solve a --json=1
err_has "--json takes no value"
run 2 solve a --impulses=
err_has "--impulses wants"
run 2 solve a --method gaus_seidel
err_has "did you mean gauss_seidel?"
for bad in tol=0 tol=-1 tol=nan tol=inf tol=1e-4x tol= "tol= 1" tol=1e999 max-iterations=-1 max-iterations=1.5 \
  max-iterations=99999999999999999999 max-seconds=-1 threads=-1 threads=two threads=100000 law=exact \
  precision=f16 backend=gpu measure=error; do
  run 2 solve a "--$bad"
  out_empty
  err_has "--${bad%%=*} wants"
done

# ---- info -------------------------------------------------------------------------------------------
run 0 info
out_has "^talus "
out_has "backend cpu   works"
run 0 info --json
json version build backends auto threads
run 2 info surplus

# ---- generate ---------------------------------------------------------------------------------------
run 2 generate heap
err_has "--out FILE is missing"
run 2 generate heep --out a.dat
err_has "did you mean heap?"
absent a.dat
run 2 generate heap --bodies 0 --out a.dat
run 2 generate heap --bodies 10 --spread 0.9 --out a.dat
err_has "--spread wants a number of at least 0 and at most 0.5"
run 2 generate heap --bodies 10 --out missing/a.dat
err_has "cannot write missing/a.dat"
run 2 generate heap --bodies 10 --out .
err_has "it is a folder"
absent a.dat
problems=
for kind in heap stack random; do
  run 0 generate "$kind" --bodies 12 --out "$kind.dat"
  out_has "$kind.dat: $kind of 12 bodies"
  problems="$problems $kind.dat"
  if [ "$hdf5" = 1 ]; then
    run 0 generate "$kind" --bodies 12 --out "$kind.hdf5" --json
    json file kind bodies contacts seed
    problems="$problems $kind.hdf5"
  fi
done
run 0 generate random --bodies 12 --seed 7 --out seven.dat
run 0 generate random --bodies 1.2e1 --seed 7 --out again.dat
for bad in 1e 1.25e1 1e99 nan 12e0x; do
  run 2 generate random --bodies $bad --out never.dat
  err_has "--bodies wants a whole number"
done
note "the same seed gives the same file" cmp -s seven.dat again.dat
note "another seed gives another" test "$(cksum <seven.dat)" != "$(cksum <random.dat)"

# ---- solve and check --------------------------------------------------------------------------------
for problem in $problems; do
  run 0 solve "$problem" --law ccp --tol 1e-5 --impulses "$problem.txt"
  out_has "outcome      converged"
  out_has "^epsilon "
  err_empty
  run 0 check "$problem" "$problem.txt" --law ccp --tol 1.01e-5
  out_has "accepted"
  run 3 check "$problem" "$problem.txt" --law ccp --tol 1e-30
  out_has "not accepted"
  run 0 solve "$problem" --law=ccp --json --threads=1
  json contacts law method backend precision outcome iterations passes seconds epsilon_ccp \
    epsilon_coulomb siconos_error
  field law '"ccp"'
  field outcome '"converged"'
  field backend '"cpu"'
  field precision '"f64"'
  field threads 1
  err_empty
done
for method in jacobi apgd apgdb gauss_seidel gauss_seidel_nesterov spectral; do
  run 0 solve random.dat --law ccp --tol 1e-2 --method "$method" --json
  field method "\"$method\""
  field outcome '"converged"'
done
run 0 solve random.dat --law ccp --tol 1e-2 --precision f32 --json
field precision '"f32"'
run 0 solve random.dat --law ccp --method all --tol 1e-2
for method in jacobi apgd apgdb gauss_seidel gauss_seidel_nesterov spectral; do
  out_has "^$method .*converged"
done
run 0 solve random.dat --law ccp --method all --tol 1e-2 --json --impulses all.txt
json contacts law method outcome
note "JSON of all methods is an array" [ "$(head -c 1 out)" = "[" ]
run 0 check random.dat all.txt --law ccp --tol 1.01e-2 --json
json contacts law accepted epsilon_ccp epsilon_coulomb siconos_error cone_violation
field accepted true

# A stack of boxes has more contact impulses than equations: two methods differ, but not in those of
# least norm.
apart() { # A.txt B.txt: whether some number differs by more than 1e-6 of the largest
  paste <(grep -v '^#' "$1") <(grep -v '^#' "$2") | awk '
    { for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d < 0) d = -d; if (d > far) far = d
        a = $i < 0 ? -$i : $i; if (a > most) most = a } }
    END { exit !(far > 1e-6 * most) }'
}
for method in newton interior_point; do
  run 0 solve stack.dat --law ccp --method "$method" --tol 1e-9 --impulses "some_$method.txt"
  out_has "factorisations"
  run 0 solve stack.dat --law ccp --method "$method" --tol 1e-9 --unique --impulses "least_$method.txt"
  out_has "the one of least norm"
done
note "impulses of a stack differ" apart some_newton.txt some_interior_point.txt
note "those of least norm do not" eval '! apart least_newton.txt least_interior_point.txt'
run 0 solve stack.dat --law ccp --method apgdb --tol 1e-2 --unique --max-iterations 100000
out_has "least norm"
run 2 solve stack.dat --unique --precision f32
err_has "double precision"

# Faceted cones: who takes them, who does not, and what is measured.
for method in lemke pfb_rlm pfb_plm auto; do
  run 0 solve random.dat --cone pyramid --facets 8 --facet-angle 0.3 --tol 1e-8 --method "$method" --json
  json cone epsilon_faceted_coulomb epsilon_faceted_ccp
  field cone '"pyramid"'
  field outcome '"converged"'
done
run 0 solve random.dat --cone box --facet-align --method all --tol 1e-6
out_has "^lemke .*converged"
out_has "^not run .* jacobi .*: it takes the circular cone"
run 0 solve random.dat --cone pyramid --method all --tol 1e-6 --law ccp --impulses pyramid.txt
out_has "^not run .* lcpopt: it takes the box"
out_has "^not run .* lcp1 lcp2 lcp3: it is for the law COULOMB"
run 0 check random.dat pyramid.txt --cone pyramid --law ccp --tol 1e-6
out_has "^epsilon, faceted cone"
run 3 check random.dat pyramid.txt --law ccp --tol 1e-6
run 3 check random.dat pyramid.txt --cone pyramid --facet-angle 0.7 --law ccp --tol 1e-6 --json
field cone '"pyramid"'
run 2 check random.dat pyramid.txt --cone box --measure siconos
err_has "circular cone"
run 2 solve random.dat --cone box --method apgdb
err_has "these do: lemke"
run 2 solve random.dat --cone pyramid --facets 2
run 2 solve random.dat --facets 8
err_has "circular"
run 2 check random.dat pyramid.txt --facet-align
run 2 profile random.dat --cone box --facets 8
err_has "four facets"
run 2 generate stack --aspect 2 --out stack2.dat
err_has "kind heap"
run 2 generate heap --contact-ratio 3 --out heap2.dat
run 2 solve random.dat --cone round

run 0 generate random --bodies 600 --out large.dat
run 2 solve large.dat --cone box --method all
err_has "no method supports this problem; of lemke: .*small problems"

# One thread and several give the same impulses, to the last bit.
run 0 solve heap.dat --law ccp --threads 1 --impulses one.txt
run 0 solve heap.dat --law ccp --threads 3 --impulses three.txt
note "one thread and three: the same bits" cmp -s one.txt three.txt

# Not converged: exit code 3, truthful outcome, impulses all the same.
run 3 solve heap.dat --fixed-iterations 20 --impulses fixed.txt
out_has 'unchecked'
out_has 'no certificate'
out_has '20 iterations'
run 2 solve heap.dat --fixed-iterations 20 --method newton
run 3 solve heap.dat --tol 1e-12 --max-iterations 1 --method jacobi --impulses few.txt --json
field outcome '"iteration_limit"'
note "impulses are written" test -s few.txt
lines=$(grep -cv '^#' few.txt)
contacts=$(sed -n 's/^ *"contacts": \([0-9]*\),*$/\1/p' out)
note "one line per contact ($lines of $contacts)" [ "$lines" = "$contacts" ]
note "three numbers per line" awk '!/^#/ && NF != 3 {bad = 1} END {exit bad}' few.txt

# ---- bad input, bad output: a message, exit code 2, nothing written --------------------------------
run 2 solve missing.hdf5 --json
out_empty
err_has "missing.hdf5"
run 2 solve .
run 2 solve /dev/null
printf 'not a problem\n' >nonsense.hdf5
run 2 solve nonsense.hdf5 --impulses never.txt
err_has "nonsense.hdf5"
absent never.txt
head -c 200 heap.dat >short.dat
run 2 solve short.dat --impulses never.txt
absent never.txt
printf '3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 nan -1 0 0 0.5\n' >nan.dat
run 2 solve nan.dat
if [ "$hdf5" = 1 ]; then
  head -c 3000 heap.hdf5 >short.hdf5
  run 2 solve short.hdf5 --impulses never.txt
  absent never.txt
fi
run 2 solve heap.dat --impulses missing/out.txt
err_has "cannot write missing/out.txt"
out_empty
run 2 solve heap.dat --impulses heap.dat
err_has "it is the input file"
run 2 solve heap.dat --impulses /dev/null
err_has "not a regular file"
note "the device of that name is still one" test -c /dev/null
run 2 check heap.dat missing.txt
err_has "missing.txt"
printf '1 2\n' >wrong.txt
run 2 check heap.dat wrong.txt
err_has "^talus: wrong.txt:"
note "the file is named once" test "$(grep -o wrong.txt err | wc -l)" -eq 1
sed '1s/.*/# a comment\nnan 0 0/' few.txt >bad.txt
run 2 check heap.dat bad.txt
run 2 check heap.dat
err_has "IMPULSES.txt is missing"
if "$talus" info --json | grep -A2 '"name": "cuda"' | grep -q '"works": false'; then
  run 2 solve heap.dat --backend cuda
  err_has "backend cuda"
  out_empty
fi
if [ -w /dev/full ]; then
  "$talus" info >/dev/full 2>err
  note "a report that cannot be written is an error" [ $? -eq 2 ]
fi
note "no temporary files are left" test -z "$(find . -name '*.tmp*' -o -name '*.??????' ! -name '*.hdf5' ! -name '*.dat' | head -n 1)"

# ---- small and odd problems -------------------------------------------------------------------------
# Nothing to do: no contacts.
printf '3 0 0 0 0 0 0\n' >empty.dat
run 0 solve empty.dat --json --impulses empty.txt
field contacts 0
field outcome '"converged"'
# In the plane: two columns. One contact pushed down and sideways: sticks.
printf '2 1 0 2 2 2 2 1 0 0 1 -1 0.2 0.5\n' >plane.dat
run 0 solve plane.dat --tol 1e-9 --impulses plane.txt
note "2D: normal and tangent" awk '!/^#/ {good = NF == 2 && ($1 - 1)^2 < 1e-12 && ($2 + 0.2)^2 < 1e-12}
  END {exit !good}' plane.txt
run 0 check plane.dat plane.txt --tol 1e-8
# Names with blanks, quotes and bytes that are no text.
cp plane.dat 'a "name" with blanks.dat'
run 0 solve 'a "name" with blanks.dat' --json
json file
cp plane.dat $'byte\xff.dat' 2>/dev/null && run 0 solve $'byte\xff.dat' --json && json file
run 0 solve -- plane.dat

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
