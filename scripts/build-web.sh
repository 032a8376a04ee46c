#!/bin/sh
# build-web.sh -- makes the page in build/web: the core as WebAssembly, with and without threads, and the files of
# web/ and scenes/ beside it. Needs emscripten (sh scripts/install-deps.sh web).
#
#     sh scripts/build-web.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
site=build/web

# Debian's emscripten finds the modules of its linker's JavaScript part only with this.
NODE_PATH=/usr/share/nodejs:/usr/lib/nodejs${NODE_PATH:+:$NODE_PATH}
export NODE_PATH
mkdir -p "$site"
generator='Unix Makefiles'
! command -v ninja >/dev/null || generator=Ninja

compile() { # compile FOLDER OPTION: a module into build/FOLDER
    [ -f "build/$1/CMakeCache.txt" ] || emcmake cmake -G "$generator" -S . -B "build/$1" -DCMAKE_BUILD_TYPE=Release "$2" \
        >"build/$1.log" 2>&1 || { cat "build/$1.log"; exit 1; }
    cmake --build "build/$1" -j "$jobs"
}
compile wasm -DSPATE_WEB_THREADS=OFF
compile wasm-threads -DSPATE_WEB_THREADS=ON

cp -R web/page/. "$site/"
mkdir -p "$site/core" "$site/scenes/meshes"
cp build/wasm/spate.mjs build/wasm/spate.wasm "$site/core/"
cp build/wasm-threads/spate-threads.* "$site/core/"
cp scenes/*.json "$site/scenes/"
cp scenes/meshes/* "$site/scenes/meshes/"

# The menu: names of the presets in order, and their titles. The page draws no gas yet.
{
    echo '['
    comma=
    for scene in scenes/*.json; do
        grep -q '"kind": "gas"' "$scene" && continue
        title=$(sed -n 's/^ *"name": *"\([^"\\]*\)".*/\1/p' "$scene" | head -n 1)
        flat=$(tr -d ' \n' <"$scene" | sed -nE 's/.*"size":\[[0-9.e-]+,[0-9.e-]+\].*/true/p')
        printf '%s  {"name": "%s", "title": "%s", "flat": %s}' "$comma" "$(basename "$scene" .json)" "$title" \
            "${flat:-false}"
        comma=",
"
    done
    printf '\n]\n'
} >"$site/scenes/index.json"
echo "the page is in $site: spate serve $site"
