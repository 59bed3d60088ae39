#!/usr/bin/env bash
# `talus profile`: a folder of generated problems, the table, the picture, what it refuses.
#   profile.sh TALUS HAVE_CAIRO(0|1)
set -u
talus=$(realpath "$1") cairo=$2
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

mkdir set
run 0 generate heap --bodies 15 --out set/heap.dat
run 0 generate stack --bodies 4 --out set/stack.dat
run 0 generate random --bodies 9 --out "set/random, with a comma.dat"
echo "no problem" >set/note.txt
methods="gauss_seidel_nesterov,apgdb,jacobi"

run 0 profile set --methods "$methods" --law ccp --tol 1e-3 --max-seconds 5 --out p.png
out_has "^gauss_seidel_nesterov  *3 of 3"
out_has "^apgdb  *3 of 3"
out_has "^stack.dat .* 3$"
note "the table is there" test -s p.csv
note "one line per problem and method" [ "$(wc -l <p.csv)" -eq 10 ]
note "a name with a comma stands in quotes" grep -q '^"set/random, with a comma.dat",' p.csv
# By problem: one method has ratio 1, and every ratio is seconds over the least seconds.
note "ratios are those of the seconds" awk -F, 'NR > 1 {
    n = NF; problem = $1; t[NR] = $(n - 9); r[NR] = $(n - 8); name[NR] = problem
    if (!(problem in least) || t[NR] < least[problem]) least[problem] = t[NR] }
  END { for (i = 2; i <= NR; i++) { d = r[i] * least[name[i]] / t[i] - 1
      if (d > 1e-4 || d < -1e-4) exit 1 }
    exit NR != 10 }' p.csv
if [ "$cairo" = 1 ]; then
  note "the picture is a PNG" eval '[ "$(head -c 4 p.png | tail -c 3)" = PNG ]'
else
  err_has "p.png was not drawn.*libcairo2-dev"
fi

# What is not solved is no success: no method reaches 1e-300, and the table says so.
run 0 profile set/heap.dat --methods jacobi --tol 1e-300 --max-seconds 0.05 --out none.png --json
note "JSON says 0 solved" grep -q '"solved": 0' out
note "an unsolved run has no ratio" grep -q '"ratio": null' out
note "and the outcome is named" grep -qE '"outcome": "(stalled|time_limit)"' out
# lcp3 is one step of a fixed point: not enough where boxes slide.
run 0 profile set/stack.dat --cone pyramid --methods lemke,lcp3 --tol 1e-8 --out facets.png
out_has "^lemke  *1 of 1"
out_has "^lcp3  *0 of 1"
run 0 profile set/stack.dat --methods auto,auto --tol 1e-2 --out once.png
note "a method is run once" [ "$(wc -l <once.csv)" -eq 2 ]
run 0 profile set/stack.dat set/note.txt --methods auto --tol 1e-2 --out once.png
err_has "passed over set/note.txt"

# ---- refusals ------------------------------------------------------------------------------------
run 2 profile
err_has "PATH is missing"
run 2 profile nowhere
err_has "nowhere"
mkdir empty
run 2 profile empty
err_has "empty: no \*.hdf5"
run 2 profile set/note.txt --out no.png
err_has "none of the files"
absent no.csv
run 2 profile set --methods newtown
err_has "did you mean newton"
run 2 profile set --methods lemke
err_has "lemke does not take cone circular"
run 2 profile set --out p.jpg
err_has "ends with .png, .svg or .pdf"
run 2 profile set --out missing/p.png
err_has "cannot write missing/p.png"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
