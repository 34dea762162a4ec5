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

from tests.assembly import functions, loops

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
X = aligned((64, 8))
X[...] = np.random.default_rng(0).standard_normal(X.shape)
y = (X[:, 0] > 0.0).astype(float)
said, seen = {}, []
for loss in (Location(), Squared(), Logistic()):
    rule = tailproof.ClippedSGD(loss=loss, level=tailproof.Fixed(100.0))
    rule.step(rule.init(8), X, y)
    made = [item for item in gc.get_objects() if isinstance(item, Dispatcher) and item.py_func.__name__ == "enter"]
    new = [item for item in made if item not in seen]
    seen += new
    said[type(loss).__name__] = "".join(text for item in new for text in item.inspect_asm().values())
vector, one = np.zeros(8), numba.types.int64
for name in ("sweep_sums", "sweep_squares", "sweep_fours"):
    function = getattr(sketch, name)
    shapes = [numba.typeof(X), one, one, *[numba.typeof(vector)] * (function.__code__.co_argcount - 3)]
    machine = numba.njit(tuple(shapes), **compiled.EXACT)(function)
    said[name] = "".join(machine.inspect_asm().values())
json.dump(said, sys.stdout)
"""
KERNELS = ["Location", "Squared", "Logistic", "sweep_sums", "sweep_squares", "sweep_fours"]
HOT = {
    "Location": ("run_location",),
    "Squared": ("run_linear",),
    "Logistic": ("run_linear",),
    **{name: (name,) for name in KERNELS[3:]},
}


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


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_loop_that_sums_or_stores_does_so_many_at_once(kernel, machine_code):
    """One number at a time is for the last few of a row, beside a loop that takes the others together."""
    for function, text in machine_code[kernel]:
        found = loops(text)
        for what in ("sum", "store"):
            assert found[f"packed {what}"] or not found[f"scalar {what}"], (function, dict(found))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_hot_loop_is_there(kernel, machine_code):
    """That the law above looked at something."""
    found = [loops(text) for name, text in machine_code[kernel] if name.endswith(HOT[kernel])]
    assert found
    assert all(counted["packed store"] for counted in found)
    assert kernel.startswith("sweep") or all(counted["packed sum"] for counted in found)


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_memory_is_asked_for_on_the_way(kernel, machine_code):
    for function, text in machine_code[kernel]:
        assert not [word for word in ("NRT_Allocate", "NRT_MemInfo_alloc", "malloc") if word in text], function
