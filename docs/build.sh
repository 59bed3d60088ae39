#!/usr/bin/env bash
# The pages as a site: docs/build.sh, then open build/site/html/index.html; for its search box browsers want a
# server: python3 -m http.server --directory build/site/html.
# By MkDocs with Material (pip install mkdocs-material, or Debian's mkdocs-material); MKDOCS names another program
# than mkdocs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
site=$root/build/site
mkdir -p "$site"
python3 "$root/docs/site.py" "$root" "$site/pages"
mkdocs=${MKDOCS:-mkdocs}
command -v "$mkdocs" >/dev/null 2>&1 ||
  { echo "skipped: no $mkdocs (pip install mkdocs-material); the pages are in $site/pages" && exit 77; }
"$mkdocs" build --quiet --strict --config-file "$root/docs/mkdocs.yml"
echo "$site/html/index.html"
