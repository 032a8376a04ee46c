#!/bin/sh
# install-deps.sh -- installs what is missing to compile spate, on Debian and its relatives.
#
#     sh scripts/install-deps.sh           compiler, cmake, pkg-config, Jansson, libpng, zlib
#     sh scripts/install-deps.sh run       ffmpeg, which makes the film of a run
#     sh scripts/install-deps.sh cache     ccache, which keeps what was compiled before
#     sh scripts/install-deps.sh format    clang-format
#     sh scripts/install-deps.sh tidy      clang-tidy
#     sh scripts/install-deps.sh fuzz      clang with libFuzzer
#     sh scripts/install-deps.sh coverage  gcc with gcov
#     sh scripts/install-deps.sh formats   readers of the file formats (VTK, OpenVDB, Blender, node)
#     sh scripts/install-deps.sh python    numpy, matplotlib, tqdm and venv for Debian's Python
#     sh scripts/install-deps.sh web       emscripten
#     sh scripts/install-deps.sh browsers  node, npm, Chromium and Firefox, for the tests of the page
#
# When nothing is missing it does nothing, so it works offline. On other systems it says what to install, and
# leaves with success if the tools are there.
set -u

have() { command -v "$1" >/dev/null 2>&1; }

packages=
missing=
want() { # want PACKAGES WHAT: something is missing; the Debian packages, and its name for people
    packages="$packages $1"
    missing="$missing${missing:+, }$2"
}

case "${1:-build}" in
build)
    have "${CC:-cc}" || have gcc || have clang || want "gcc libc6-dev" "a C compiler (gcc or clang)"
    have cmake || want "cmake" "cmake (3.21 or newer)"
    have ninja || have make || want "make" "make or ninja"
    if have pkg-config; then
        pkg-config --exists jansson || want "libjansson-dev" "jansson with its header"
        pkg-config --exists libpng || want "libpng-dev" "libpng with its header"
        pkg-config --exists zlib || want "zlib1g-dev" "zlib with its header"
    else
        want "pkg-config libjansson-dev libpng-dev zlib1g-dev" "pkg-config, jansson, libpng and zlib with their headers"
    fi
    ;;
run)
    have ffmpeg || want "ffmpeg" "ffmpeg (without it there is no film)"
    ;;
cache)
    have ccache || want "ccache" "ccache"
    ;;
format)
    have clang-format || want "clang-format" "clang-format (14)"
    ;;
tidy)
    have clang-tidy || want "clang-tidy" "clang-tidy (14)"
    ;;
fuzz)
    # a small program that is linked with it: the library may be missing where clang is there
    have clang && echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b && n < 0; }' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null 2>/dev/null ||
        want "clang libclang-rt-14-dev" "clang with libFuzzer and the sanitizers"
    ;;
coverage)
    have gcc && have gcov || want "gcc libc6-dev" "gcc with gcov"
    ;;
web)
    have cmake || want "cmake" "cmake (3.21 or newer)"
    have emcc || want "emscripten" "emscripten (3.1 or newer)"
    ;;
browsers)
    have npm || want "npm" "node and npm"
    have chromium || want "chromium" "Chromium"
    have firefox-esr || have firefox || want "firefox-esr" "Firefox"
    have xvfb-run || want "xvfb" "a screen for Firefox"
    ;;
python)
    python=/usr/bin/python3
    [ -x $python ] || want "python3" "Python 3"
    $python -c 'import numpy' 2>/dev/null || want "python3-numpy" "numpy for Debian's Python"
    $python -c 'import matplotlib' 2>/dev/null || want "python3-matplotlib" "matplotlib for Debian's Python"
    $python -c 'import tqdm' 2>/dev/null || want "python3-tqdm" "tqdm for Debian's Python"
    $python -c 'import ensurepip' 2>/dev/null || want "python3-venv" "venv for Debian's Python"
    ;;
formats)
    python=/usr/bin/python3 # the one that the packages are for
    $python -c 'import vtkmodules, numpy' 2>/dev/null || want "python3-vtk9 python3-numpy" "VTK for Python"
    $python -c 'import pyopenvdb' 2>/dev/null || want "python3-openvdb" "OpenVDB for Python"
    have vdb_print || want "libopenvdb-tools" "vdb_print"
    have blender || want "blender" "Blender"
    have npm || want "npm" "node and npm"
    ;;
*)
    echo "install-deps.sh: unknown group '$1' (build, run, cache, format, tidy, fuzz, coverage, python, web, browsers or formats)" >&2
    exit 2
    ;;
esac
[ -n "$missing" ] || exit 0

if ! have apt-get; then
    echo "install-deps.sh: missing: $missing. Install it with your system's package manager." >&2
    exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
    if ! have sudo; then
        echo "install-deps.sh: missing: $missing. As root: apt-get install$packages" >&2
        exit 1
    fi
    root=sudo
fi

echo "missing: $missing; installing$packages"
export DEBIAN_FRONTEND=noninteractive
# The package lists of a fresh machine may be absent or old, so a first failure is not the end.
# shellcheck disable=SC2086
install() { $root apt-get install -y --no-install-recommends $packages; }
install >/dev/null 2>&1 || { $root apt-get update && install; } || {
    echo "install-deps.sh: apt-get could not install$packages; see its messages above" >&2
    exit 1
}
