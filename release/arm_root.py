"""A folder with Python for 64-bit ARM and what maxmargin imports, to be run by qemu-user.

Debian's packages are unpacked, not installed: nothing of this machine changes.
"""

import lzma
import shutil
import sys
import urllib.request
from pathlib import Path

from release.command import run

MIRROR, SUITE = "http://deb.debian.org/debian", "bookworm"
#: Python 3.11 and the libraries that its standard library and compiled packages load.
PACKAGES = [
    *("libbz2-1.0", "libc6", "libcrypt1", "libexpat1", "libffi8", "libgcc-s1", "liblzma5"),
    *("libpython3.11-minimal", "libpython3.11-stdlib", "libssl3", "libstdc++6", "libuuid1"),
    *("python3.11-minimal", "zlib1g"),
]
#: As wheels for ARM, and threadpoolctl and joblib with them.
IMPORTED = ["numpy", "scipy", "scikit-learn"]


def addresses() -> dict[str, str]:
    """Where each package of the suite is."""
    listing = f"{MIRROR}/dists/{SUITE}/main/binary-arm64/Packages.xz"
    text = lzma.decompress(urllib.request.urlopen(listing).read()).decode()
    found, name = {}, ""
    for line in text.splitlines():
        field, _, value = line.partition(": ")
        if field == "Package":
            name = value
        elif field == "Filename":
            found[name] = f"{MIRROR}/{value}"
    return found


def make(root: Path) -> None:
    """Unpacks all of it into a new folder, which has its name when it is complete."""
    root, complete = root.with_suffix(".part"), root
    shutil.rmtree(root, ignore_errors=True)
    (root / "site").mkdir(parents=True)
    where = addresses()
    for name in PACKAGES:
        archive, _ = urllib.request.urlretrieve(where[name])
        run("dpkg-deb", "--extract", archive, root)
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--target", root / "site",
        "--platform", "manylinux_2_28_aarch64", "--platform", "manylinux_2_27_aarch64",
        "--platform", "manylinux2014_aarch64", "--python-version", "3.11",
        "--only-binary", ":all:", *IMPORTED,
    )  # fmt: skip
    root.rename(complete)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
