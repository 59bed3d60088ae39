#!/usr/bin/env bash
# Installs into a folder of its own, whose name holds a blank, and builds a foreign program against it
# in four ways: CMake and pkg-config, shared and static. Runs each, and the installed program.
#   install.sh CMAKE BUILD_FOLDER CC VERSION
set -eu
cmake=$1 build=$2 cc=$3 version=$4
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$PWD/some prefix" foreign app_shared app_static
prefix="$PWD/some prefix"
"$cmake" --install "$build" --prefix "$prefix" >install.log

for wanted in bin/talus include/talus/talus.h include/talus/talus_solve.h; do
  [ -e "$prefix/$wanted" ] || { echo "failed: $wanted was not installed" && exit 1; }
done
[ "$("$prefix/bin/talus" --version)" = "talus $version" ]
libdir=$(dirname "$(find "$prefix" -name libtalus.a)")

# Nothing that was installed may remember where it was built.
if grep -rIl "$build" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig"; then
  echo "failed: the files above name the build folder"
  exit 1
fi

"$cmake" -S "$here/foreign" -B foreign -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
  -DTALUS_VERSION="$version" >foreign.log
"$cmake" --build foreign >>foreign.log
./foreign/app_shared "$version"
./foreign/app_static "$version"
echo "CMake: shared and static work"

command -v pkg-config >/dev/null 2>&1 || { echo "skipped: no pkg-config" && exit 77; }
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion talus)" = "$version" ]
# The blank in the prefix comes back escaped, hence the eval.
eval "$cc" '"$here/foreign/app.c"' -o app_shared "$(pkg-config --cflags --libs talus)" \
  '-Wl,-rpath,"$libdir"'
./app_shared "$version"
eval "$cc" '"$here/foreign/app.c"' -o app_static "$(pkg-config --cflags --libs --static talus |
  sed 's/-ltalus/-l:libtalus.a/')"
./app_static "$version"
if command -v ldd >/dev/null 2>&1 && ldd ./app_static | grep -q libtalus; then
  echo "failed: app_static uses the shared library"
  exit 1
fi
echo "pkg-config: shared and static work"
