#!/bin/bash
# killed.sh MPIEXEC FLAG PROGRAM: of three ranks in a solve without end one is killed. All end within
# ten seconds, and mpiexec says so.
set -u
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" "$2" 3 "$3" long > "$output" 2>&1 &
launcher=$!
for ((i = 0; i < 200; i++)); do
  process=$(sed -n 's/^process \([0-9]*\)$/\1/p' "$output")
  [ -n "$process" ] && break
  sleep 0.1
done
[ -n "$process" ] || { echo "no rank began:"; cat "$output"; kill "$launcher"; exit 1; }
sleep 0.5
kill -9 "$process"
begin=$SECONDS
for ((i = 0; i < 100; i++)); do
  kill -0 "$launcher" 2> /dev/null || break
  sleep 0.1
done
if kill -0 "$launcher" 2> /dev/null; then
  echo "ranks still wait after ten seconds"
  kill "$launcher"
  exit 1
fi
wait "$launcher"
status=$?
echo "ended $((SECONDS - begin)) s after the kill, with status $status:"
cat "$output"
[ "$status" != 0 ] && [ "$(wc -l < "$output")" -gt 1 ]
