#!/usr/bin/env bash
# The headers go through Doxygen without a warning, and their functions, fields and listed enumerators are in the pages.
#   doxygen.sh SOURCE_FOLDER
set -eu
source=$1
command -v doxygen >/dev/null 2>&1 || { echo "skipped: no doxygen" && exit 77; }
out=$PWD/doxygen
rm -rf "$out" && mkdir "$out"
cd "$source"
{ cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = \"$out\""; } | doxygen - >"$out/log" 2>&1
if grep -i "warning\|error" "$out/log"; then
  echo "failed: Doxygen has something to say"
  exit 1
fi
for word in talus_world_step talus_solver_update inverse_inertia TALUS_METHOD_APGDB TALUS_INDEX_RANGE \
  talus_mechanism_step talus_scene_read talus_urdf_read talus_problem_read; do
  grep -rq "$word" "$out/html" || { echo "failed: $word is in no page" && exit 1; }
done
# a comment behind a field is the field's
grep -q "from a to b\|unit, a to b" "$out/html/structtalus__rigid.html" ||
  { echo "failed: fields have no comments" && exit 1; }
echo "passed"
