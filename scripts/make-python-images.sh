#!/bin/sh
# make-python-images.sh [BUILD] -- the pictures of docs/python.md and the outputs of examples/python/05_notebook.ipynb,
# with the Python package of the build folder (build/release).
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-/usr/bin/python3}
export PYTHONPATH=${1:-build/release}/python MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$PYTHON" examples/python/01_wave_tank.py docs/images/python_gauges.png
"$PYTHON" scripts/run-notebook.py examples/python/05_notebook.ipynb --write --images "$scratch"
cp "$scratch/05_notebook.1.png" docs/images/python_particles.png
cp "$scratch/05_notebook.2.png" docs/images/python_fields.png
