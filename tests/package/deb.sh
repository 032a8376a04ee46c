#!/bin/bash
# make package: a .deb of the build, installed into a scratch root.
set -u
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for program in cpack dpkg dpkg-deb dpkg-shlibdeps; do
    command -v $program >/dev/null || { echo "skip deb"; echo "  skipped: there is no $program here"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skip deb"; echo "  skipped: dpkg wants to be root, in a scratch root too"; exit 0; }

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
check "package is made" bash -c "cd '$SPATE_BUILD' && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=none -B '$scratch/made'"
deb=$(echo "$scratch"/made/spate_"$version"*.deb)
check "package is there" test -f "$deb"
needs() { dpkg-deb -f "$deb" Depends | tee "$scratch/depends" | grep -q libjansson4 && grep -q libpng "$scratch/depends" &&
    grep -q zlib1g "$scratch/depends"; }
check "package names what it needs" needs

root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
# The scratch root has no shell: the scripts run outside of it, and must not touch the libraries of this machine.
mkdir "$scratch/stub"
printf '#!/bin/sh\n' >"$scratch/stub/ldconfig"
chmod +x "$scratch/stub/ldconfig"
in_root() { PATH=$scratch/stub:$PATH dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null "$@"; }
check "package installs" in_root -i "$deb"
all_files() {
    local file missing=0
    for file in bin/spate include/spate/{spate,spate_io,stats}.h share/man/man1/spate.1 \
        share/bash-completion/completions/spate share/zsh/vendor-completions/_spate share/spate/scenes/dam_break.json; do
        [ -e "$root/usr/$file" ] || { echo "not installed: $file"; missing=1; }
    done
    find "$root/usr/lib" -name libspate.so | grep -q . && find "$root/usr/lib" -name libspate_io.a | grep -q . &&
        find "$root/usr/lib" -name spate.pc | grep -q . || missing=1
    [ ! -e "$SPATE_SOURCE/build/web/index.html" ] || [ -e "$root/usr/share/spate/web/index.html" ] || missing=1
    [ ! -e "$SPATE_BUILD/python/spate/__init__.pyi" ] ||
        [ -e "$root/usr/lib/python3/dist-packages/spate/_where.py" ] || missing=1
    return $missing
}
check "installed files" all_files
check "installed command" bash -c "'$root/usr/bin/spate' --version | grep -F 'spate $version'"
check "installed scenes" "$root/usr/bin/spate" check "$root/usr/share/spate/scenes/mesh_obstacle.json" --set domain.cells=8
check "nothing outside of /usr" bash -c "! find '$root' -mindepth 1 -maxdepth 1 ! -name usr ! -name var ! -name etc | grep ."
check "package goes again" in_root -r spate
check "nothing is left" bash -c "! find '$root/usr' -type f 2>/dev/null | grep ."
exit $failures
