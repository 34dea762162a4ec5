"""Contenders take turns on the same data, and a ratio is the median over all turns."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Said(NamedTuple):
    """A line of the table, for whoever wants to write it down as well."""

    what: str
    measured: float
    unit: str


SAID: list[Said] = []


def line(what: str, required: float | None, measured: float, unit: str = "", more: bool = False) -> None:
    """`more` says that more is better."""
    bound = "-" if required is None else f"{required:g}{unit}"
    met = required is None or (measured >= required if more else measured <= required)
    verdict = "" if met else "   missed"
    SAID.append(Said(what, measured, unit))
    print(f"{what:58} {bound:>9} {measured:8.2f}{unit or 'x'}{verdict}", flush=True)


class Times(dict[str, list[float]]):
    """Seconds of each contender's turns."""

    def ratio(self, contender: str, peer: str) -> float:
        return float(np.median(np.array(self[contender]) / np.array(self[peer])))

    def seconds(self, contender: str) -> float:
        return float(np.median(self[contender]))


def turns(contenders: dict[str, Callable[[], object]], repeats: int) -> Times:
    times = Times({name: [] for name in contenders})
    for contender in contenders.values():
        contender()
    for _ in range(repeats):
        for name, contender in contenders.items():
            begin = time.perf_counter()
            contender()
            times[name].append(time.perf_counter() - begin)
    return times
