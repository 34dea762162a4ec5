"""The hot loops stay what they were made to be: many numbers at once, and no call for memory among them.

Nothing is timed. What would make a kernel several times slower shows in the assembly: sums that may no longer be
reordered, stores that might overlap what is read, an array made on the way.
"""

import json
import os
import platform
import subprocess
import sys

import pytest

from tests.assembly import functions, fused, loops, packed

PROGRAM = """
import gc, json, sys
import numpy as np
import numba
import tailproof
from tailproof import compiled, sketch
from tailproof.losses import Location, Logistic, Squared
from tailproof.state import aligned
from numba.core.dispatcher import Dispatcher

compiled.SMALL = 0
said, seen = {}, []
for columns in (8, 40):
    X = aligned((64, columns))
    X[...] = np.random.default_rng(0).standard_normal(X.shape)
    y = (X[:, 0] > 0.0).astype(float)
    for loss in (Location(), Squared(), Logistic()):
        rule = tailproof.ClippedSGD(loss=loss, level=tailproof.Fixed(100.0))
        rule.step(rule.init(columns), X, y)
        made = [item for item in gc.get_objects() if isinstance(item, Dispatcher) and item.py_func.__name__ == "enter"]
        new = [item for item in made if item not in seen]
        seen += new
        said[f"{type(loss).__name__} {columns}"] = "".join(text for item in new for text in item.inspect_asm().values())
sweep = numba.njit(**compiled.EXACT)(sketch.sweep)
sweep(X, 0, 64, aligned((1, columns)), aligned(columns), sketch.workplace(columns))
said["sweep"] = "".join(sweep.inspect_asm().values())
json.dump(said, sys.stdout)
"""
# Where the work is done, whether or not the compiler puts the one into the other.
HOT = {
    "Location 8": ("run_spot_in_registers",),
    "Squared 8": ("run_line_in_registers",),
    "Logistic 8": ("run_line_in_registers",),
    "Location 40": ("run_spot", "approach"),
    "Squared 40": ("run_line", "meet", "leave"),
    "Logistic 40": ("run_line", "meet", "leave"),
    "sweep": ("sweep", "sweep_columns"),
}
KERNELS = list(HOT)


def wide_registers() -> bool:
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    from llvmlite import binding

    return bool(binding.get_host_cpu_features().get("avx2"))


pytestmark = pytest.mark.skipif(not wide_registers(), reason="assembly is read for x86-64 with AVX2 only")


@pytest.fixture(scope="module")
def machine_code(tmp_path_factory):
    """The assembly of each kernel, by function; compiled anew, since what is kept on disk cannot be inspected."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("kernels"))},
    )
    assert done.returncode == 0, done.stderr
    return {kernel: functions(text) for kernel, text in json.loads(done.stdout).items()}


def hot(kernel, machine_code):
    """The text of what does the work, all in one."""
    return "\n".join(text for name, text in machine_code[kernel] if name.split(".")[-1] in HOT[kernel])


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_hot_loop_takes_many_numbers_at_once(kernel, machine_code):
    """What is done once a row, such as a slope, takes one number; what is done along a row may not."""
    text = hot(kernel, machine_code)
    counted = loops(text)
    assert packed(text) > 0
    assert counted["packed sum"] or counted["packed store"], dict(counted)
    assert not counted["scalar sum"], dict(counted)


@pytest.mark.parametrize("kernel", KERNELS[:-1])
def test_along_a_row_products_are_fused_into_sums(kernel, machine_code):
    assert fused(hot(kernel, machine_code)) > 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_memory_is_asked_for_on_the_way(kernel, machine_code):
    for function, text in machine_code[kernel]:
        assert not [word for word in ("NRT_Allocate", "NRT_MemInfo_alloc", "malloc") if word in text], function
