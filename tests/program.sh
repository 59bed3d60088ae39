# What the tests of the `talus` program share; read by `.`, with the variable talus set. They work in
# a folder of their own and count what they note.
passed=0 failed=0
rm -rf work && mkdir work && cd work || exit 1

# run EXPECTED_CODE arguments...: leaves what was printed in the files out and err.
run() {
  local expected=$1 code
  shift
  "$talus" "$@" >out 2>err </dev/null
  code=$?
  note "exit code $code, expected $expected: talus $*" [ "$code" -eq "$expected" ]
}

note() { # what, then a command that tells whether it is so
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n' "$what"
    sed 's/^/  stdout: /' out | head -n 8
    sed 's/^/  stderr: /' err | head -n 8
  fi
}
out_has() { note "stdout has '$1'" grep -q -- "$1" out; }
err_has() { note "stderr has '$1'" grep -q -- "$1" err; }
out_empty() { note "stdout is empty" test ! -s out; }
err_empty() { note "stderr is empty" test ! -s err; }
absent() { note "$1 is not there" test ! -e "$1"; }
