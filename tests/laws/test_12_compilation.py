"""A second process compiles nothing, and importing loads nothing heavy."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
from tailproof import compiled
from tests.laws.catalogue import DESCENTS, HOLDING, SKETCHES, TUNED, taken, stream
X, y = stream(rows=200, columns=3)
compiled.SMALL = 0
for rule in (SKETCHES[0], DESCENTS[0], DESCENTS[2], DESCENTS[6], TUNED[1], HOLDING[5]):
    rule.read(taken(rule, X, y)), rule.certificate(taken(rule, X, y))
import gc, numba.core.dispatcher
seen = []
for item in gc.get_objects():
    if isinstance(item, numba.core.dispatcher.Dispatcher) and item.py_func.__name__ == "enter":
        seen.append((sum(item.stats.cache_hits.values()), sum(item.stats.cache_misses.values())))
print(sum(hits for hits, _ in seen), sum(misses for _, misses in seen))
"""


def run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout.strip().splitlines()[-1]


def test_a_second_process_compiles_nothing(tmp_path):
    run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path))
    hits, misses = map(int, run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split())
    assert hits >= 8
    assert misses == 0


def test_importing_loads_nothing_heavy():
    program = (
        "import sys, tailproof; "
        "print([name for name in ('numba', 'pyarrow', 'sklearn', 'scipy', 'pandas', 'tqdm', 'safetensors') "
        "if name in sys.modules])"
    )
    assert run(program) == "[]"


def test_small_work_does_not_wake_the_compiler():
    program = (
        "import sys, numpy, tailproof; from tailproof.extremes import Extremes; rule = Extremes(); "
        "rule.read(rule.step(rule.init(3), numpy.ones((50, 3)))); print('numba' in sys.modules)"
    )
    assert run(program) == "False"


def test_a_place_that_cannot_be_written_to_is_said_once(tmp_path):
    program = (
        "import warnings, numpy; from tailproof import compiled, estimator\n"
        "compiled._writable, rows = (lambda place: False), numpy.asfortranarray(numpy.ones((6, 2)))\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        "    for _ in range(2):\n"
        "        estimator.turning_from(rows)(0, numpy.zeros((6, 2)))\n"
        "print(sum('NUMBA_CACHE_DIR' in str(item.message) for item in said))"
    )
    assert run(program, NUMBA_CACHE_DIR=str(tmp_path)) == "1"


def test_code_in_a_folder_that_may_only_be_read_is_used():
    program = (
        "import warnings, numpy; warnings.simplefilter('error'); from tailproof import compiled; {unwritable}\n"
        "from tailproof.extremes import Extremes\n"
        "rule = Extremes(); state = rule.init(2); compiled.eager()\n"
        "rule.read(rule.step(state, numpy.arange(600.0).reshape(-1, 2)))\n"
        "print(compiled.compiled_anew())"
    )
    run(program.format(unwritable=""))
    assert run(program.format(unwritable="compiled._writable = lambda place: False")) == "0"


def test_a_users_module_that_is_gone_harms_nobody_else(tmp_path):
    (tmp_path / "gone.py").write_text(
        "import tailproof\n@tailproof.loss\nclass Gone:\n"
        "    def value(self, z, y):\n        return 0.5 * (z - y) ** 2\n"
        "    def slope(self, z, y):\n        return z - y\n"
    )
    program = (
        "import numpy, tailproof; {load}\n"
        "rule = tailproof.ClippedSGD(loss={loss}); rule.step(rule.init(2), numpy.ones((9, 2)), numpy.ones(9))\n"
        "print('well')"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(tmp_path)}
    assert run(program.format(load="import gone", loss="gone.Gone()"), **cache) == "well"
    (tmp_path / "gone.py").unlink()
    assert run(program.format(load="", loss="tailproof.Squared()"), **cache) == "well"
