"""Race: sequential validation as a rule that holds rules.

Clipped descents learn side by side from one stream. Each is scored on a row before it learns from it, and the one
with the least score speaks for all.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import compiled
from .clipped import PILOT, ClippedSGD
from .domains import Everywhere
from .errors import RuleError
from .estimate import MeanEstimate
from .estimator import as_rows, as_targets, runs, same_columns, some
from .levels import Fixed, SelfTuned
from .losses import Location
from .piece import LONGEST, piece, spell
from .race_estimate import RaceEstimate
from .race_loop import Alone, Board, Racers, weight_of
from .state import Layout, State, aligned

Numbers = NDArray[np.float64]

# Rows that are raced before their scores are looked at, while they are in near memory.
BLOCK = 128
# Fewer columns than this are laid out with candidates side by side, so many at a time.
ACROSS, LANES = 48, 8
# Unless told, scores are means over about this part of the rows: the last fifth, as in the paper.
LAST = 0.2


# Factors of the self-tuned levels that race for the mean: each level is half the one before, and no unit is needed.
OF_MEANS = (0.08, 0.32, 1.28, 5.12)
# How many races are remembered that were taken apart.
MOST_KNOWN = 64
_known: dict[int, tuple[Any, list["Group"]]] = {}


class Group(NamedTuple):
    """Candidates that differ in numbers only."""

    members: NDArray[np.int64]
    like: Alone
    levels: Numbers  # a column a candidate
    steps: Numbers
    domains: Numbers
    kernel: str


@piece
class Race:
    """Clipped descents of one loss side by side; the one that predicts best speaks.

    candidates: a tuple of ClippedSGD. They share their loss; all else may differ.
    score: "paired" compares differences to the middle candidate's losses on the same rows, and clips them, so that no
        row decides; "paper" compares mean losses, which are heavy-tailed where the rows are.
    rows: how many rows there will be, if that is known; then the last of them are scored. 0: any number, and scores
        forget the earlier rows as fast as a mean over the last of them does.
    last: what part of the rows "the last of them" are.
    """

    candidates: Any
    score: str = "paired"
    rows: int = 0
    last: float = LAST

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not isinstance(self.candidates, tuple) or not self.candidates:
            raise RuleError("the candidates of a Race are a tuple of ClippedSGD rules, at least one")
        for candidate in self.candidates:
            if not isinstance(candidate, ClippedSGD):
                raise RuleError(f"{candidate!r} cannot be a candidate of a Race, only ClippedSGD rules can")
        if len({(candidate.loss, candidate.bars) for candidate in self.candidates}) > 1:
            raise RuleError("the candidates of a Race must share their loss, by which they are compared, and bars")
        if self.score not in ("paired", "paper"):
            raise RuleError(f'score must be "paired" or "paper", not {self.score!r}')
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 0:
            raise RuleError(f"rows must be a whole number, or 0 where it is not known; not {self.rows!r}")
        if not 0.0 < self.last <= 1.0:
            raise RuleError(f"last must be a part of the rows, above 0 and at most 1, not {self.last}")
        if len(spell(self)) > LONGEST:
            raise RuleError(f"{len(self.candidates):,} candidates are too many to be written down")

    @classmethod
    def over(
        cls,
        rule: Any = ClippedSGD(),  # noqa: B008
        levels: Iterable[Any] | None = None,
        delays: Iterable[float] | None = None,
        **settings: Any,
    ) -> "Race":
        """A race of one rule with each of these levels and each of these delays of its steps.

        A level is a number, or a piece such as SelfTuned(factor=2.0).
        """
        grid = [rule.level] if levels is None else [_level(level) for level in levels]
        steps = [rule.steps] if delays is None else [rule.steps._replace(delay=float(delay)) for delay in delays]
        return cls(tuple(rule._replace(level=level, steps=step) for step in steps for level in grid), **settings)

    # ------------------------------------------------------------------------------------------------ the verbs

    def init(self, columns: int, start: ArrayLike | None = None) -> State:
        """A state of no rows, with all candidates at `start` (the origin unless given)."""
        state = State.zeros(self.layout(columns))
        for k, candidate in enumerate(self.candidates):
            _put(state, k, candidate.init(columns, start))
        state.parts[0] = 1
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds: O(candidates x columns)."""
        count = len(self.candidates)
        pilot = PILOT if any(isinstance(candidate.level, SelfTuned) for candidate in self.candidates) else 0
        return {
            "theta": (np.float64, (count, columns)),
            "memory": (np.float64, (2, count)),
            "tallies": (np.int64, (3, count)),
            "bars": (np.float64, (count, 4 if self.bars else 0, columns)),
            "shards": (np.float64, (count,)),
            "scores": (np.float64, (count,)),
            "squares": (np.float64, (count if self.score == "paired" else 0,)),
            "counts": (np.int64, (2,)),
            "pilot": (np.float64, (pilot, columns + 1 if pilot else 0)),
            "waiting": (np.int64, (1,)),
            "parts": (np.int64, (1,)),
        }

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        return int(state.theta.shape[1])

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        matrix = as_rows(X, self.columns(state))
        targets = as_targets(y, matrix.shape[0])
        begin = self._wait(state, matrix, targets)
        if begin < matrix.shape[0]:
            racing = [_Racing(self, group, state) for group in _groups(self.candidates)]
            for offset, rows in runs(matrix[begin:]):
                self._run(state, racing, rows, some(targets, begin + offset, len(rows)))
            for group in racing:
                group.leave(state)
        return state

    def merge(self, a: State, b: State) -> State:
        """Parameter mixing, candidate by candidate, and scores as well: means weighted by rows."""
        same_columns(a, b)
        if self._waits(b):
            return self._replay(a, b)
        if self._waits(a):
            return self._replay(b, a)
        total = int(a.counts[0] + b.counts[0])
        if b.counts[0]:
            share = float(b.counts[0]) / total
            for name in ("scores", "squares"):
                a[name][...] = a[name] * (1.0 - share) + b[name] * share
        for k, candidate in enumerate(self.candidates):
            _put(a, k, candidate.merge(self._slot(a, k), self._slot(b, k)))
        a.parts[...] = a.parts + b.parts if a.counts[0] and b.counts[0] else np.maximum(a.parts, b.parts)
        a.counts[...] += b.counts
        return a

    def read(self, state: State) -> Any:
        """What the candidate that is ahead says; for a mean with bars, a `MeanEstimate`."""
        ahead = self.chosen(state)
        slot = self._slot(state, ahead)
        said: Any = self.candidates[ahead].read(slot)
        if self.bars:
            return self._mean(state, said, ahead)
        return RaceEstimate(
            rule=repr(self),
            rows=int(state.counts[0]),
            refused=int(state.counts[1]),
            chosen=ahead,
            candidate=repr(self.candidates[ahead]),
            theta=said.theta,
            thetas=self._thetas(state),
            scores=state.scores.copy(),
            score=self.score,
            share_clipped=said.share_clipped,
            level=said.level,
            certificate=self.certificate(state),
            note=said.note,
        )

    def chosen(self, state: State) -> int:
        """The number of the candidate with the least score; the middle one until a row was scored."""
        return int(np.argmin(state.scores)) if state.scores.any() else self._middle

    def certificate(self, state: State) -> float:
        """How far at most one more row can move theta: the farthest step of any candidate that this row could put
        ahead, from where the one that is ahead stands now."""
        if self._waits(state) or state.counts[0] == 0:
            return float("inf")
        here = state.theta[self.chosen(state)]
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.linalg.norm(state.theta - here, axis=1)
        reach = [apart[k] + self.candidates[k].certificate(self._slot(state, k)) for k in self._hopeful(state)]
        return float(np.nan_to_num(np.array(reach), nan=np.inf).max())

    # ----------------------------------------------------------------------------------------------- the rest

    @property
    def bars(self) -> bool:
        """Whether the candidates keep what error bars are made of."""
        return bool(self.candidates[0].bars)

    @property
    def _middle(self) -> int:
        return len(self.candidates) // 2

    @property
    def _begin(self) -> float:
        """Rows before those that are scored."""
        return float(int((1.0 - self.last) * self.rows))

    def _run(self, state: State, racing: Sequence["_Racing"], rows: Any, targets: Any) -> None:
        alone = len(racing) == 1
        board = Board(
            state.scores, state.squares, state.counts, self._middle, self._begin, 1.0 / self.last, alone, _loose()
        )
        if alone:
            racing[0].run(board, rows, targets)
            return
        for begin in range(0, len(rows), BLOCK):
            part = slice(begin, begin + BLOCK)
            losses = np.empty((len(rows[part]), len(self.candidates)))
            for group in racing:
                group.run(board, rows[part], targets[part])
                losses[:, group.members] = group.losses[: len(losses)]
            compiled.kernel("keep_scores")(board, losses)

    def _waits(self, state: State) -> bool:
        """Whether the first rows are still held back, until there are enough for self-tuned levels to begin with."""
        return bool(state.waiting[0] < len(state.pilot))

    def _wait(self, state: State, rows: Any, targets: Any) -> int:
        """Hold the first rows back. Returns how many rows it took."""
        taken = 0
        while self._waits(state) and taken < len(rows):
            row = np.append(rows[taken].astype(np.float64), some(targets, taken, 1))
            taken += 1
            if not self._startable(row):
                state.counts[1] += 1
                continue
            state.pilot[state.waiting[0]] = row
            state.waiting[0] += 1
            state.counts[0] += 1
            if not self._waits(state):
                for k, candidate in enumerate(self.candidates):
                    slot = candidate.init(self.columns(state), state.theta[k])
                    _put(state, k, candidate.step(slot, *_held(state)))
        return taken

    def _startable(self, row: Numbers) -> bool:
        """Whether those who wait for the first rows would take this one."""
        waiting = {candidate for candidate in self.candidates if isinstance(candidate.level, SelfTuned)}
        fresh = (candidate.step(candidate.init(len(row) - 1), row[None, :-1], row[-1:]) for candidate in waiting)
        return bool(np.isfinite(row).all()) and not any(slot.counts[1] for slot in fresh)

    def _replay(self, state: State, short: State) -> State:
        """A state that has not begun still holds its rows as they came."""
        state.counts[1] += short.counts[1]
        return self.step(state, *_held(short)) if short.waiting[0] else state

    def _slot(self, state: State, k: int) -> State:
        """What candidate k alone would remember."""
        candidate = self.candidates[k]
        slot: State = candidate.init(self.columns(state), state.theta[k])
        if self._waits(state):
            return candidate.step(slot, *_held(state)) if state.waiting[0] else slot
        slot.theta[...], slot.memory[...], slot.counts[...] = state.theta[k], state.memory[:, k], state.tallies[:, k]
        slot.bars[...], slot.shards[...], slot.parts[...] = state.bars[k], state.shards[k], state.parts
        slot.waiting[...] = len(slot.pilot)
        return slot

    def _thetas(self, state: State) -> Numbers:
        if not self._waits(state):
            return state.theta.copy()
        return np.array([candidate.read(self._slot(state, k)).theta for k, candidate in enumerate(self.candidates)])

    def _hopeful(self, state: State) -> list[int]:
        """Those that one more row could put ahead: any, unless differences are clipped."""
        if self.score == "paper" or not state.scores.any():
            return list(range(len(self.candidates)))
        weight = weight_of(float(state.counts[0] + 1), self._begin, 1.0 / self.last)
        with np.errstate(over="ignore"):
            limits = weight * np.sqrt(state.squares * _loose() / weight)
        # What never differed has no level yet; the reference never will.
        limits[state.squares == 0.0] = np.inf
        limits[self._middle] = 0.0
        ahead = self.chosen(state)
        reach = state.scores - limits <= (state.scores[ahead] + limits[ahead]) * (1.0 + 1e-12)
        return [k for k in range(len(reach)) if reach[k] or k == ahead]

    def _mean(self, state: State, said: MeanEstimate, ahead: int) -> MeanEstimate:
        told = f"candidate {ahead + 1} of {len(self.candidates)} speaks: {self.candidates[ahead].level!r}"
        return said.replace(
            rule=repr(self),
            rows=int(state.counts[0]),
            refused=int(state.counts[1]),
            note="; ".join(part for part in (told, said.note) if part),
        )


class _Racing:
    """The arrays of one group while it takes rows in."""

    def __init__(self, race: Any, group: Group, state: State) -> None:
        members, columns = group.members, race.columns(state)
        count = len(members)
        self.members = members
        self.losses = aligned((BLOCK, count))
        across = columns < ACROSS and group.kernel != "race_any"
        lanes = -(-count // LANES) * LANES if across else count
        theta = aligned((columns, lanes) if across else (count, columns))
        theta[...] = 0.0
        asked, moves, limits, own, scratch = _room_for(lanes, lanes, count, 2, columns)
        (theta[:, :count].T if across else theta)[...] = state.theta[members]
        self.kernel = compiled.kernel(
            group.kernel, group.like.loss, group.like.level, group.like.steps, group.like.domain
        )
        self.like = group.like
        self.racers = Racers(
            theta=theta,
            memory=np.ascontiguousarray(state.memory[:, members]),
            counts=np.ascontiguousarray(state.tallies[:, members]),
            bars=np.ascontiguousarray(state.bars[members]),
            levels=_levels(group, state.shards[members]),
            steps=group.steps,
            domains=group.domains,
            across=across,
            bounded=not isinstance(group.like.domain, Everywhere),
            asked=asked,
            moves=moves,
            limits=limits,
            own=own,
            scratch=scratch,
        )

    def run(self, board: Board, rows: Any, targets: Any) -> None:
        try:
            self.kernel(self.like, self.racers, board, rows, targets, self.losses)
        except Exception as error:
            if not compiled.too_clever(error):
                raise
            pieces = ", ".join(type(held).__name__ for held in self.like)
            raise RuleError(
                f"one of {pieces} cannot be made machine code; its methods may use numbers, arrays, loops and "
                f"the math module only. {str(error).strip().splitlines()[0]}"
            ) from error

    def leave(self, state: State) -> None:
        """Write back what has changed."""
        racers, members = self.racers, self.members
        state.theta[members] = racers.theta[:, : len(members)].T if racers.across else racers.theta
        state.memory[:, members] = racers.memory
        state.tallies[:, members] = racers.counts
        state.bars[members] = racers.bars


def race_of_means() -> Race:
    """The race for a mean of which nothing is known."""
    return Race.over(ClippedSGD(bars=True), levels=[SelfTuned(factor=factor) for factor in OF_MEANS])


def _groups(candidates: tuple[Any, ...]) -> list[Group]:
    """Candidates of a kind race in one kernel. For the same tuple it is found out once: to compare tuples takes longer
    than to race them over a few rows."""
    known = _known.get(id(candidates))
    if known is None or known[0] is not candidates:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        known = _known[id(candidates)] = candidates, _find_groups(candidates)
    return known[1]


def _find_groups(candidates: tuple[Any, ...]) -> list[Group]:
    kinds: dict[Any, list[int]] = {}
    for k, candidate in enumerate(candidates):
        kinds.setdefault(tuple(_kind(held) for held in candidate[:4]), []).append(k)
    return [_group(candidates, members) for members in kinds.values()]


def _group(candidates: tuple[Any, ...], members: list[int]) -> Group:
    first = candidates[members[0]]
    return Group(
        members=np.array(members),
        like=Alone(first.loss, _real(first.level), _real(first.steps), _real(first.domain)),
        levels=_numbers([candidates[k].level for k in members]),
        steps=_numbers([candidates[k].steps for k in members]),
        domains=_numbers([candidates[k].domain for k in members]),
        kernel=_kernel(first),
    )


def _kernel(candidate: Any) -> str:
    """The fastest loop that computes these rules."""
    if candidate.bars:
        return "race_any"
    if isinstance(candidate.loss, Location):
        return "race_spots"
    return "race_lines" if hasattr(candidate.loss, "slope") else "race_any"


def _kind(held: Any) -> Any:
    """A piece without its numbers."""
    return type(held), tuple(None if _is_number(value) else value for value in held)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _real(held: Any) -> Any:
    """A piece whose whole numbers are written as any others: machine code tells them apart."""
    return held._make(float(value) if _is_number(value) else value for value in held)


def _numbers(pieces: list[Any]) -> Numbers:
    """The numbers of pieces of a kind, a column a piece; what is no number stands as 0."""
    table = [[float(value) if _is_number(value) else 0.0 for value in held] for held in pieces]
    return np.ascontiguousarray(np.array(table, np.float64).T)


def _levels(group: Group, shards: Numbers) -> Numbers:
    """The numbers of the levels as they are now: after merging, fewer shards are still missing."""
    if not isinstance(group.like.level, SelfTuned):
        return group.levels
    levels = group.levels.copy()
    levels[group.like.level._fields.index("shards")] = np.maximum(1.0, shards)  # type: ignore[attr-defined]
    return levels


@functools.cache
def _loose() -> float:
    """The squared level of paired differences, in sums of squares: that of a mean of one column."""
    memory = np.zeros(2)
    SelfTuned().prepare(memory, 1)
    return float(memory[1])


def _room_for(*sizes: int) -> list[Numbers]:
    """Arrays of zeros, each from a cache line on."""
    ends = np.cumsum([-(-size // LANES) * LANES for size in sizes]).tolist()
    whole = aligned(ends[-1])
    whole[...] = 0.0
    return [whole[end - -(-size // LANES) * LANES :][:size] for size, end in zip(sizes, ends, strict=True)]


def _level(level: Any) -> Any:
    return Fixed(float(level)) if _is_number(level) else level


def _held(state: State) -> tuple[Numbers, Numbers]:
    """The rows that are held back, and their targets."""
    pilot = state.pilot[: int(state.waiting[0])]
    return pilot[:, :-1].copy(), pilot[:, -1].copy()


def _put(state: State, k: int, slot: State) -> None:
    """Remember what candidate k remembers."""
    state.theta[k], state.memory[:, k], state.tallies[:, k] = slot.theta, slot.memory, slot.counts
    state.bars[k], state.shards[k] = slot.bars, slot.shards[0]
