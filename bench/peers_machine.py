"""The machine in general words, and the versions of all that took part."""

import os
import platform
from pathlib import Path

from peer import installed

PACKAGES = (
    "tailproof", "numpy", "numba", "pyarrow", "scikit-learn", "statsmodels", "river", "vowpalwabbit", "jax", "optax",
    "torch", "duckdb", "polars",
)  # fmt: skip


def described() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "processor": processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }


def processor() -> str:
    """Its maker and family, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    told = dict(line.split(":", 1) for line in info.read_text().split("\n\n")[0].splitlines() if ":" in line)
    told = {name.strip(): value.strip() for name, value in told.items()}
    wide = next((name for name in ("avx512f", "avx2") if name in told.get("flags", "").split()), "")
    parts = [told.get("vendor_id", platform.machine()), f"family {told['cpu family']}" if "cpu family" in told else ""]
    return ", ".join(part for part in (*parts, wide) if part)


def versions() -> dict[str, str]:
    return {package: installed(package) for package in PACKAGES}
