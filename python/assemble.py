"""assemble.py -- puts the package together: its sources, the binding of the headers, where the library is, the stubs.

    python3 assemble.py TARGET --library FOLDER --scenes FOLDER --abi 0.2 [--stubs-with FOLDER]

TARGET/spate is the package. --library and --scenes are where libraries and preset scenes lie as seen from there.
--stubs-with: makes the type stubs, by loading the libraries of that folder. CMake calls it (cmake/python.cmake).
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import bind

HERE = Path(__file__).resolve().parent


def put(path, said):
    """Only if it is new: what has not changed need not be compiled again by Python."""
    if not path.exists() or path.read_text(encoding="utf-8") != said:
        path.write_text(said, encoding="utf-8")


def where(library, scenes, abi):
    return ('"""Where libraries and preset scenes are, from this folder. Made by assemble.py."""\n'
            f"LIBRARY = {library!r}\nSCENES = {scenes!r}\nABI = {abi!r}\n")


def main():
    parser = argparse.ArgumentParser(description="puts the Python package of spate together")
    parser.add_argument("target", type=Path)
    parser.add_argument("--library", required=True)
    parser.add_argument("--scenes", required=True)
    parser.add_argument("--abi", required=True)
    parser.add_argument("--stubs-with", metavar="FOLDER")
    args = parser.parse_args()
    package = args.target / "spate"
    package.mkdir(parents=True, exist_ok=True)
    sources = {path.name for path in (HERE / "spate").glob("*.py")}
    made = {"_api.py", "_where.py"}
    for old in package.glob("*.py"):
        if old.name not in sources | made:
            old.unlink()
    for name in sources:
        shutil.copy2(HERE / "spate" / name, package / name)
    bind.main(HERE.parent / "include", package / "_api.py")
    put(package / "_where.py", where(args.library, args.scenes, args.abi))
    if args.stubs_with:
        environment = {**os.environ, "PYTHONPATH": str(args.target), "SPATE_LIBRARY": args.stubs_with,
                       "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, str(HERE / "stubs.py"), str(package)], env=environment, check=True)


if __name__ == "__main__":
    main()
