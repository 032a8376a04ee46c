# lib.sh -- what the tests of the Python package share: Debian's Python, the package of the build folder.
#
# Tests are functions test_... of a Python file; harness.py runs them and prints `ok NAME`, `FAIL NAME` or `skip NAME`.
set -u
PYTHON=${PYTHON:-/usr/bin/python3} # Debian's Python has Debian's modules, whatever `python3` is in the path
folder=$SPATE_SOURCE/tests/python
export PYTHONPATH=$SPATE_BUILD/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
scratch=$(mktemp -d)
trap 'cd / && rm -rf "$scratch"' EXIT
export MPLCONFIGDIR=$scratch/matplotlib
cd "$scratch" || exit 1

# needs NAME: leaves with a skip where Python, the package or numpy is missing
needs() {
    [ -f "$SPATE_BUILD/python/spate/__init__.pyi" ] || {
        echo "skip $1"
        echo "  skipped: this build has no Python package (make build; there must be a Python)"
        exit 0
    }
    "$PYTHON" -c 'import numpy' 2>/dev/null || {
        echo "skip $1"
        echo "  skipped: there is no python3-numpy (make test-python installs it)"
        exit 0
    }
}
run_file() { PYTHONPATH=$PYTHONPATH:$folder "$PYTHON" "$folder/$1.py"; }
