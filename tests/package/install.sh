#!/bin/bash
# Installs into a scratch prefix and builds programs against it, as users do: pkg-config and CMake, shared and
# static, libspate alone and with libspate_io. Also: what is installed, and what the shared libraries export.
set -u
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$SPATE_SOURCE/tests/package
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$SPATE_BUILD/CMakeCache.txt")

check() { # check NAME COMMAND...: the output is shown when the command fails
    local name=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        echo "ok $name"
    else
        sed 's/^/  /' "$scratch/log"
        echo "FAIL $name"
        failures=1
    fi
}

version=$(sed -n 's/^#define SPATE_VERSION "\(.*\)"/\1/p' "$SPATE_SOURCE/include/spate/spate.h")
abi=${version%.*} # of the soname, until 1.0
node=${abi//./_}
check "install" cmake --install "$SPATE_BUILD" --prefix "$scratch/first"
# everything after this must work from another place than the one it was installed to
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
libdir=$(dirname "$(find "$prefix" -name libspate.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

all_files() {
    local file missing=0
    for file in "$prefix"/include/spate/{spate,spate_io,stats}.h "$prefix/bin/spate" "$libdir"/libspate{,_io}.{a,so,"so.$abi"} \
        "$libdir/libspate.so.$version" "$libdir/libspate_io.so.$version"; do
        [ -e "$file" ] || { echo "not installed: $file"; missing=1; }
    done
    return $missing
}
check "installed files" all_files
only_what_is_installed() { # where the generator can tell
    [ ! -f "$SPATE_BUILD/build.ninja" ] || ! command -v ninja >/dev/null ||
        ! ninja -C "$SPATE_BUILD" -t inputs spate_installed | grep -E '^(tests|examples|spate_bench|.*/(tests|bench|examples)/)'
}
check "make install compiles no tests, examples or benchmarks" only_what_is_installed
check "installed command" bash -c "'$prefix/bin/spate' --version | grep -F 'spate $version'"

exported() { # exported LIBRARY PATTERN: every symbol it defines for others matches, and there is at least one
    nm -D --defined-only "$libdir/$1" | awk '$2 != "A" { print $3 }' | sort >"$scratch/symbols"
    [ -s "$scratch/symbols" ] && ! grep -Ev "$2" "$scratch/symbols"
}
check "libspate.so exports spate_, and sp_ only as private" \
    exported libspate.so "^(spate_[a-z0-9_]+@@SPATE_$node|sp_[a-z0-9_]+@@SPATE_PRIVATE_${version//./_})\$"
check "libspate_io.so exports spate_ only" exported libspate_io.so "^spate_[a-z0-9_]+@@SPATE_IO_$node\$"

few_private() { # helpers of libspate_io that libspate.so has to show
    [ "$(nm -D --defined-only "$libdir/libspate.so" | grep -c ' sp_')" -le 40 ]
}
check "libspate.so shows at most 40 private symbols" few_private

whole_header() { # whole_header NAME: the functions that NAME.h declares are those that libNAME.so has
    sed -n 's/^SPATE_API [^(]*[ *]\(spate_[a-z0-9_]*\)(.*/\1/p' "$prefix/include/spate/$1.h" | sort -u >"$scratch/declared"
    nm -D --defined-only "$libdir/lib$1.so" | sed -n 's/.* T \(spate_[a-z0-9_]*\)@.*/\1/p' | sort -u >"$scratch/defined"
    [ -s "$scratch/declared" ] && ! comm -3 "$scratch/declared" "$scratch/defined" | grep .
}
check "libspate.so holds what spate.h declares, and no more" whole_header spate
check "libspate_io.so holds what spate_io.h declares, and no more" whole_header spate_io

# shellcheck disable=SC2046
pkg_program() { # pkg_program PACKAGE SOURCE MODE
    local flag=
    [ "$3" = static ] && flag=-static
    "$cc" -Wall -Wextra -Werror $flag "$here/$2" $(pkg-config ${flag:+--static} --cflags --libs "$1") \
        -o "$scratch/program" || return 1
    local LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH # here only: what CMake builds finds the library by itself
    "$scratch/program" "$SPATE_SOURCE/scenes/dam_break_2d.json" || return 1
    [ "$3" = static ] || ldd "$scratch/program" | grep -F "$libdir/lib$1.so.$abi"
}
check "pkg-config version" pkg-config --exact-version="$version" spate spate_io
for mode in shared static; do
    check "pkg-config spate, $mode" pkg_program spate core.c $mode
    check "pkg-config spate_io, $mode" pkg_program spate_io files.c $mode
done

cmake_programs() {
    cmake -S "$here/consumer" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
        -DEXPECTED_VERSION="$version" -DSOURCES="$here" && cmake --build "$scratch/build"
}
check "find_package(spate) builds" cmake_programs
for program in core core_static files files_static; do
    check "find_package(spate) $program runs" \
        "$scratch/build/$program" "$SPATE_SOURCE/scenes/dam_break_2d.json"
done
exit $failures
