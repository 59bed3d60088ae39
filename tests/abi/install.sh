#!/usr/bin/env bash
# Installs into a folder of its own, whose name holds a blank, and builds two foreign programs against
# it in four ways: CMake and pkg-config, shared and static. The second is the first C block of the guide, as
# it stands there. Runs each, and the installed program.
#   install.sh CMAKE BUILD_FOLDER CC VERSION GUIDE
set -eu
cmake=$1 build=$2 cc=$3 version=$4 guide=$5
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$PWD/some prefix" alone foreign app_shared app_static app_alone
prefix="$PWD/some prefix"
"$cmake" --install "$build" --prefix "$prefix" >install.log

for wanted in bin/talus include/talus/talus.h include/talus/talus_solve.h share/doc/talus/docs/tutorial/first-solve.md; do
  [ -e "$prefix/$wanted" ] || { echo "failed: $wanted was not installed" && exit 1; }
done
[ "$("$prefix/bin/talus" --version)" = "talus $version" ]
libdir=$(dirname "$(find "$prefix" -name libtalus.a)")

# Nothing that was installed may remember where it was built.
if grep -rIl "$build" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig"; then
  echo "failed: the files above name the build folder"
  exit 1
fi

awk '/^```/ && on { exit } on { print } /^```c$/ { on = 1 }' "$guide" >guide.c
[ "$(grep -c main guide.c)" = 1 ] || { echo "failed: no single program in $guide" && exit 1; }
"$cmake" -S "$here/foreign" -B foreign -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
  -DTALUS_VERSION="$version" -DGUIDE="$PWD/guide.c" >foreign.log
"$cmake" --build foreign >>foreign.log
./foreign/app_shared "$version"
./foreign/app_static "$version"
./foreign/guide_shared
./foreign/guide_static
echo "CMake: shared and static work"

command -v pkg-config >/dev/null 2>&1 || { echo "skipped: no pkg-config" && exit 77; }
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion talus)" = "$version" ]
# The blank in the prefix comes back escaped, hence the eval.
for program in "$here/foreign/app.c" guide.c; do
  eval "$cc" -Wall -Wextra -Werror '"$program"' -o app_shared \
    "$(pkg-config --cflags --libs talus)" '-Wl,-rpath,"$libdir"'
  ./app_shared "$version"
  eval "$cc" -Wall -Wextra -Werror '"$program"' -o app_static "$(pkg-config --cflags --libs talus-static)"
  ./app_static "$version"
  if command -v ldd >/dev/null 2>&1 && ldd ./app_static | grep -q libtalus; then
    echo "failed: app_static uses the shared library"
    exit 1
  fi
done

# Where the static library alone is installed, talus.pc with --static is enough.
mkdir -p alone/lib/pkgconfig
cp -r "$prefix/include" alone/
cp "$libdir/libtalus.a" alone/lib/
cp "$libdir/pkgconfig/talus.pc" alone/lib/pkgconfig/
for program in "$here/foreign/app.c" guide.c; do
  eval "$cc" -Wall -Wextra -Werror '"$program"' -o app_alone \
    "$(PKG_CONFIG_PATH=$PWD/alone/lib/pkgconfig pkg-config --static --cflags --libs talus)"
  ./app_alone "$version"
done
echo "pkg-config: shared and static work"
