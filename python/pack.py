"""Packs the module that cargo has built and the package into a wheel: what tests install.

    python python/pack.py FOLDER_OF_CARGO FOLDER_OF_WHEELS

Wheels for others are made by maturin (`pip wheel .`), which builds the module by itself; this one takes the
module from the libraries that the tests of Rust have built, so that nothing is compiled twice.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What cargo calls the module, and what Python loads.
MODULES = {"lib_core.so": "_core.abi3.so", "lib_core.dylib": "_core.abi3.so", "_core.dll": "_core.pyd"}


def version() -> str:
    """The version of the workspace."""
    found = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("Cargo.toml has no version")
    return found[1]


def content(built: Path) -> dict[str, bytes]:
    """Files of the package, and the module."""
    package = ROOT / "python" / "gradyn"
    files = {
        f"gradyn/{p.name}": p.read_bytes() for p in sorted(package.iterdir()) if p.suffix in (".py", ".pyi")
    }
    files["gradyn/py.typed"] = b""
    module = next((name for name in MODULES if (built / name).exists()), None)
    if module is None:
        raise SystemExit(f"{built} has no module: cargo build --workspace --profile test")
    files[f"gradyn/{MODULES[module]}"] = (built / module).read_bytes()
    return files


def record(name: str, data: bytes) -> str:
    """A line of the list of files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main(built: Path, out: Path) -> None:
    """Writes the wheel and prints where it is."""
    tag = f"cp310-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"gradyn-{version()}.dist-info"
    files = content(built)
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: gradyn\nVersion: {version()}\n".encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: pack\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    lines = "".join(record(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = f"{lines}{info}/RECORD,,\n".encode()

    # one wheel, whatever was there
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"gradyn-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
