# Sourced by samples/demo.sh and tests/run.sh: installs what the build needs and this machine lacks.
# Debian and its relatives only, by apt-get; elsewhere it says what is missing. HDF5, libpng,
# Cairo, libyaml, expat, SuiteSparse, LAPACKE, ODE (for a sample), NumPy and the headers of Python (for
# its package) are optional: without them Talus builds, and says what it leaves out.

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

# Whether one of these headers is in a folder where compilers and Debian's packages have them.
talus_has_header() {
  local header folder
  for header in "$@"; do
    for folder in /usr/include /usr/local/include /usr/include/*-linux-gnu; do
      [ ! -e "$folder/$header" ] || return 0
    done
  done
  return 1
}

# Whether no Python has a module: the first one, or the system's, for which Debian packs it.
talus_lacks_module() {
  local python
  for python in python3 /usr/bin/python3; do
    ! "$python" -c "import $1" >/dev/null 2>&1 || return 1
  done
}

# Whether the Python that CMake will find, the first one, or the system's has its headers.
talus_has_python_headers() {
  local python
  for python in python3 /usr/bin/python3; do
    ! "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
      >/dev/null 2>&1 || return 0
  done
  return 1
}

# Prints the Debian packages that are missing, one per line.
talus_missing_packages() {
  command -v gcc >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 || printf 'gcc\nlibc6-dev\n'
  command -v g++ >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1 || echo g++
  command -v cmake >/dev/null 2>&1 || echo cmake
  command -v make >/dev/null 2>&1 || echo make
  command -v pkg-config >/dev/null 2>&1 || echo pkg-config
  talus_has_header hdf5.h hdf5/serial/hdf5.h || command -v h5cc >/dev/null 2>&1 || echo libhdf5-dev
  talus_has_header png.h || pkg-config --exists libpng 2>/dev/null || echo libpng-dev
  talus_has_header cairo/cairo.h cairo.h || echo libcairo2-dev
  talus_has_header yaml.h || pkg-config --exists yaml-0.1 2>/dev/null || echo libyaml-dev
  talus_has_header expat.h || pkg-config --exists expat 2>/dev/null || echo libexpat1-dev
  talus_has_header suitesparse/cholmod.h cholmod.h || echo libsuitesparse-dev
  talus_has_header lapacke.h || printf 'liblapacke-dev\nlibopenblas-dev\n'
  talus_has_header ode/ode.h || echo libode-dev
  ! talus_lacks_module numpy || echo python3-numpy
  talus_has_python_headers || echo python3-dev
}

# Wanted by tests alone; without them the tests that need them are skipped.
talus_missing_test_packages() {
  command -v abidw >/dev/null 2>&1 || echo abigail-tools
  command -v mypy >/dev/null 2>&1 || echo mypy
  command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || echo chromium
  command -v clang-format-14 >/dev/null 2>&1 || echo clang-format-14
  talus_has_header libqhull_r/libqhull_r.h || echo libqhull-dev
  command -v mpicc >/dev/null 2>&1 || printf 'libopenmpi-dev\nopenmpi-bin\n'
  command -v doxygen >/dev/null 2>&1 || echo doxygen
  command -v mkdocs >/dev/null 2>&1 || echo mkdocs-material
  ! talus_lacks_module matplotlib || echo python3-matplotlib
  ! talus_lacks_module mpi4py || echo python3-mpi4py
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
