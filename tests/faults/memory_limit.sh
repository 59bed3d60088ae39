#!/usr/bin/env bash
# Solves by factorisations under limits of the address space, from less than the program needs to load
# up to plenty: each ends, with a result or with words. (OpenBLAS waits without end for a buffer that it
# does not get.)
#   memory_limit.sh TALUS
set -u
talus=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/../program.sh"

# limited MEGABYTES arguments...: the exit code is left in `code`.
limited() {
  local space=$1
  shift
  (
    ulimit -v $((1024 * space))
    exec timeout -k 5 60 "$talus" "$@" >out 2>err </dev/null
  )
  code=$?
}

run 0 generate heap --bodies 300 --seed 3 --out heap.dat
solve="solve heap.dat --threads 1 --tol 1e-5 --max-seconds 5"
for method in "interior_point --law ccp" "newton --law coulomb" "auto --law coulomb"; do
  solved=0 refused=0
  for space in $(seq 32 24 512); do
    # shellcheck disable=SC2086 # lists of options
    limited "$space" $solve --method $method
    case $code in
    0 | 3) solved=$((solved + 1)) ;;
    2)
      refused=$((refused + 1))
      note "$method, $space MB: the message names memory" grep -qi 'memory' err
      ;;
    *) # the loader, or OpenBLAS as it is loaded, has no room: they have their own words
      note "$method, $space MB ends with words, not with code $code" test "$code" -ne 124 -a -s err
      ;;
    esac
  done
  note "$method: $solved limits are enough" [ "$solved" -gt 5 ]
  echo "$method: $solved solved, $refused refused"
done

# The program needs no BLAS for this, and does not wait for OpenBLAS's threads at the end.
for space in $(seq 104 32 232); do
  limited "$space" --version
  note "talus --version within $space MB" [ "$code" -eq 0 ]
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
