# Sourced by samples/demo.sh and tests/run.sh: installs what the build needs and this machine lacks.
# Debian and its relatives only, by apt-get; elsewhere it says what is missing. HDF5, libpng,
# libyaml, expat, SuiteSparse, LAPACKE, ODE (for a sample) and NumPy (for Python) are optional: without
# them Talus builds, and says what it leaves out.

# Runs a command as root, without ever asking for a password where nobody can type one.
talus_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
  else
    return 1
  fi
}

# Prints the Debian packages that are missing, one per line.
talus_missing_packages() {
  command -v gcc >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 || printf 'gcc\nlibc6-dev\n'
  command -v g++ >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1 || echo g++
  command -v cmake >/dev/null 2>&1 || echo cmake
  command -v make >/dev/null 2>&1 || echo make
  command -v pkg-config >/dev/null 2>&1 || echo pkg-config
  # The headers are asked of the compiler's search path and of Debian's folder for HDF5.
  ls /usr/include/hdf5.h /usr/include/hdf5/serial/hdf5.h /usr/local/include/hdf5.h 2>/dev/null |
    grep -q . || command -v h5cc >/dev/null 2>&1 || echo libhdf5-dev
  ls /usr/include/png.h /usr/local/include/png.h 2>/dev/null | grep -q . ||
    pkg-config --exists libpng 2>/dev/null || echo libpng-dev
  ls /usr/include/yaml.h /usr/local/include/yaml.h 2>/dev/null | grep -q . ||
    pkg-config --exists yaml-0.1 2>/dev/null || echo libyaml-dev
  ls /usr/include/expat.h /usr/local/include/expat.h 2>/dev/null | grep -q . ||
    pkg-config --exists expat 2>/dev/null || echo libexpat1-dev
  ls /usr/include/suitesparse/cholmod.h /usr/include/cholmod.h /usr/local/include/cholmod.h \
    /usr/local/include/suitesparse/cholmod.h 2>/dev/null | grep -q . || echo libsuitesparse-dev
  ls /usr/include/lapacke.h /usr/local/include/lapacke.h /usr/include/*/lapacke.h 2>/dev/null |
    grep -q . || printf 'liblapacke-dev\nlibopenblas-dev\n'
  ls /usr/include/ode/ode.h /usr/local/include/ode/ode.h 2>/dev/null | grep -q . || echo libode-dev
  python3 -c 'import numpy' >/dev/null 2>&1 || echo python3-numpy
}

# Wanted by tests alone; without them the tests that need them are skipped.
talus_missing_test_packages() {
  command -v abidw >/dev/null 2>&1 || echo abigail-tools
}

# talus_require [tests]
talus_require() {
  local missing
  missing=$({ talus_missing_packages; [ "${1:-}" != tests ] || talus_missing_test_packages; } | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  echo "missing: $missing"
  if command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of words
    { talus_as_root apt-get update -qq &&
      talus_as_root apt-get install -y -qq --no-install-recommends $missing; } >&2 ||
      echo "could not install them all" >&2
  fi
  for program in cc c++ cmake make; do
    command -v "$program" >/dev/null 2>&1 || {
      echo "$program is needed and not here; please install: $missing" >&2
      return 1
    }
  done
}

# How many compilers may run at once.
talus_jobs() { nproc 2>/dev/null || echo 2; }
