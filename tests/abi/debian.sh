#!/usr/bin/env bash
# Makes the Debian packages of a build, installs them into a root of their own by dpkg, runs what is in them there, removes
# them: nothing may be left.
#   debian.sh CPACK BUILD_FOLDER CC VERSION HAVE_PYTHON PYTHON
set -eu
cpack=$1 build=$2 cc=$3 version=$4 have_python=$5 python=$6
for tool in dpkg dpkg-deb dpkg-shlibdeps fakeroot; do
  [ "$tool" = fakeroot ] && [ "$(id -u)" = 0 ] && continue
  command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool" && exit 77; }
done
here=$(cd "$(dirname "$0")" && pwd)
rm -rf packages root tools dpkg.log
mkdir packages root
# With that generator cpack builds nothing before.
"$cpack" -D CPACK_CMAKE_GENERATOR=Ninja --config "$build/CPackConfig.cmake" -B "$PWD/packages" >cpack.log
fail() { echo "failed: $*" && exit 1; }

names="libtalus1 libtalus-dev talus"
[ "$have_python" = 0 ] || names="$names python3-talus"
for name in $names; do
  ls "packages/${name}_${version}_"*.deb >/dev/null || fail "there is no package $name"
done
dpkg-deb -f "packages/libtalus1_${version}_"*.deb Depends | grep -q 'libc6' || fail "libtalus1 does not name what it needs"

mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates
touch root/var/lib/dpkg/status root/var/lib/dpkg/available
# The packages' scripts call ldconfig, which is none of this machine's business here.
mkdir -p tools && ln -sf "$(command -v true)" tools/ldconfig
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else fakeroot "$@"; fi; }
manage() {
  PATH=$PWD/tools:$PATH as_root dpkg --root="$PWD/root" --log=/dev/null --force-depends --force-not-root \
    --force-script-chrootless "$@" >>dpkg.log 2>&1
}
find root -type f -not -path '*/var/lib/dpkg/*' >before
manage -i packages/*.deb || { cat dpkg.log && fail "dpkg -i"; }

program=$(find root -path '*/bin/talus' -type f)
[ "$("$program" --version)" = "talus $version" ] || fail "the program"
library=$(dirname "$(find root -name libtalus.a)")
include=$(dirname "$(find root -type d -path '*/include/talus')")
"$cc" "$here/foreign/app.c" -I"$include" -L"$library" -ltalus -lm -o app
LD_LIBRARY_PATH=$library ./app "$version"
if [ "$have_python" = 1 ] && "$python" -c 'import numpy' 2>/dev/null; then
  site=$(dirname "$(find root -type d -path '*/dist-packages/talus')")
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$site TALUS_LIBRARY=$library/libtalus.so.1 "$python" -c "
import talus
world = talus.World()
world.add_plane()
world.add_sphere(radius=0.01, position=(0, 0, 0.02))
world.step(200)
assert abs(world.position[1][2] - 0.01) < 1e-5, world.position
print('Python:', talus.version())"
fi

# shellcheck disable=SC2086 # a list of words
manage -P $names || { cat dpkg.log && fail "dpkg -P"; }
find root -type f -not -path '*/var/lib/dpkg/*' >after
cmp before after || fail "files are left"
echo "passed: $names"
