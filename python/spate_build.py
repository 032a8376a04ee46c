"""spate_build.py -- makes the wheel: a build backend (PEP 517) of its own, because all the work is CMake's.

`pip install --no-build-isolation --no-index .` calls build_wheel: it compiles the two libraries in build/wheel and
packs them with the package. SPATE_BUILD in the environment names a build folder that is there already;
SPATE_CMAKE_ARGS are further options for CMake (e.g. -DSPATE_CUDA=ON). Only Python's own modules are needed.
"""
import base64
import hashlib
import os
import re
import shlex
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "spate"


def _version():
    header = (ROOT / "include/spate/spate.h").read_text(encoding="utf-8")
    return re.search(r'^#define SPATE_VERSION "([^"]+)"', header, re.M).group(1)


def _tag():
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"py3-none-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_version()}\n"
            "Summary: PIC/FLIP fluid simulator in 2D and 3D\nLicense: MIT\nRequires-Python: >=3.9\n"
            "Provides-Extra: arrays\nRequires-Dist: numpy>=1.22; extra == 'arrays'\n"
            "Provides-Extra: plot\nRequires-Dist: matplotlib; extra == 'plot'\n\n"
            "Scenes and simulations of liquids in 2D and 3D. See docs/python.md.\n")


def _say(text):
    """Tells the terminal what is done: pip keeps what a build prints to itself, unless it is called with -v."""
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\nspate: {text}\n")
    except OSError:
        print(f"spate: {text}", flush=True)


def _build():
    """The build folder with the libraries and the package in it."""
    given = os.environ.get("SPATE_BUILD")
    if given:
        return Path(given).resolve()
    folder = ROOT / "build/wheel"
    if not (folder / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DSPATE_TESTS=OFF",
                        *shlex.split(os.environ.get("SPATE_CMAKE_ARGS", ""))], check=True)
    jobs = os.environ.get("JOBS") or str(os.cpu_count() or 1)
    _say(f"compiling the two libraries in {folder}, {jobs} files at a time; on two cores this takes one to two minutes")
    subprocess.run(["cmake", "--build", str(folder), "-j", jobs, "--target", "spate_python"], check=True)
    return folder


class _Wheel:
    """A zip file that lists what is in it."""

    def __init__(self, path):
        self.zip, self.records = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []
        self.info = f"{NAME}-{_version()}.dist-info"

    def add(self, name, data):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same bytes from the same files
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        self.add(f"{self.info}/METADATA", _metadata().encode())
        self.add(f"{self.info}/WHEEL", ("Wheel-Version: 1.0\nGenerator: spate_build\nRoot-Is-Purelib: false\n"
                                        f"Tag: {_tag()}\n").encode())
        self.add(f"{self.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        record = f"{self.info}/RECORD"
        self.add(record, "\n".join(self.records + [f"{record},,", ""]).encode())
        self.zip.close()


def _open(directory):
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    return name, _Wheel(Path(directory) / name)


# ---- what pip calls

def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = _build()
    package = build / "python/spate"
    values = dict(re.findall(r"^(\w+) = '(.*)'$", (package / "_where.py").read_text(encoding="utf-8"), re.M))
    _say("packing the libraries, the package and the scenes")
    name, wheel = _open(wheel_directory)
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi") and path.name != "_where.py" or path.name == "py.typed":
            wheel.add(f"spate/{path.name}", path.read_bytes())
    wheel.add("spate/_where.py", f"LIBRARY = 'lib'\nSCENES = 'scenes'\nABI = {values['ABI']!r}\n".encode())
    for library in ("libspate", "libspate_io"):
        wheel.add(f"spate/lib/{library}.so.{values['ABI']}", (build / f"{library}.so").read_bytes())
    for path in sorted((ROOT / "scenes").rglob("*")):
        if path.is_file():
            wheel.add(f"spate/scenes/{path.relative_to(ROOT / 'scenes')}", path.read_bytes())
    wheel.close()
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Points to the package of the build folder: run `make build` after a change."""
    name, wheel = _open(wheel_directory)
    wheel.add("spate.pth", f"{_build() / 'python'}\n".encode())
    wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows of."""
    stem = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as tar:
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                tar.add(ROOT / name, f"{stem}/{name}")
        info = Path(sdist_directory) / "PKG-INFO"
        info.write_text(_metadata(), encoding="utf-8")
        tar.add(info, f"{stem}/PKG-INFO")
        info.unlink()
    return f"{stem}.tar.gz"
