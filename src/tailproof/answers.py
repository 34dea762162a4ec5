"""What a sketch says: Huber's equation with a self-set threshold, a gap rule for gross values, a gain for symmetric
tails; and how far one more row could move it.

Plain Python throughout; the same source becomes machine code in `compiled.py`.
"""

from math import ceil, exp, inf, ldexp, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from .sketch import Sketch, core_sum, magnitude

# Columns of what `ask` answers; distances in units of 2^EXPONENT, the centre and the raw mean about SHIFT.
CENTRE, VARIANCE, LEVEL, CLIPPED, CUT_LOW, CUT_HIGH, RAW, ABOVE, BELOW, KEPT_ABOVE, KEPT_BELOW = range(11)
WHOLE, LEADERS, LEADING, TAIL, SHIFT, EXPONENT, PLAIN, ANSWERS = range(11, 19)

# Beyond this an extreme is held back in arithmetic, so that its square can be added up.
FARTHEST = 1e150
# At most this many values less one are clipped; symmetric tails allow more, one in SHARE rows.
FEWEST, SHARE = 5.0, 40.0
# A gap this wide among the sorted distances is not a heavy tail; at most one row in TENTH may be set aside.
GAP, TENTH = 10.0, 10
# Rows this many times nearer than the widest of the rest do not make it wide.
NARROW = 30.0
# Rows that the certificate tries between two remembered values.
STEPS = 5


class View(NamedTuple):
    """One column as the estimate sees it, in units about the shift."""

    lo: Any  # the m smallest, ascending
    hi: Any  # the m largest, descending
    n: int  # rows
    core: int  # rows that are in neither list
    total: float  # their sum and their sum of squares
    square: float


def ask(sketch: Sketch, ratio: float, answers: Any) -> None:
    """What each column's rows say, into `answers` (p, ANSWERS); at least one row has been seen."""
    keep = sketch.low.shape[1]
    n = int(sketch.counts[0])
    m = min(keep, n // 2)
    least, most, lo, hi = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for j in range(sketch.low.shape[0]):
        out = answers[j]
        if n <= 2 * keep:
            values = held(sketch, j)
            out[SHIFT], out[EXPONENT], core, square = values[n // 2], magnitude(values), 0.0, 0.0
            for k in range(m):
                least[k], most[k] = values[k], values[n - 1 - k]
        else:
            out[SHIFT], out[EXPONENT] = sketch.shift[j], sketch.exponent[j]
            core, square = core_sum(sketch, j), sketch.squares[j]
            for k in range(m):
                least[k], most[k] = sketch.low[j, k], sketch.high[j, k]
        unit = ldexp(1.0, -int(out[EXPONENT]))
        for k in range(m):
            lo[k], hi[k] = scaled(least[k], out[SHIFT], unit), scaled(most[k], out[SHIFT], unit)
        view = View(lo, hi, n, n - 2 * m, core, square)
        decide(view, keep, ratio, out)
        judge(view, out)
        out[PLAIN] = plain(least, most, n, out[SHIFT], core / n / unit)


def held(sketch: Sketch, j: int) -> Any:
    """All that is remembered of column j one by one, sorted."""
    keep = sketch.low.shape[1]
    values = np.empty(min(2 * keep, int(sketch.counts[0])))
    for k in range(values.shape[0]):
        values[k] = sketch.low[j, k] if k < keep else sketch.high[j, k - keep]
    values.sort()
    return values


def scaled(x: float, shift: float, unit: float) -> float:
    """x in units about the shift, held within what can be squared."""
    return min(max(x * unit - shift * unit, -FARTHEST), FARTHEST)


def plain(least: Any, most: Any, n: int, shift: float, core: float) -> float:
    """The mean of all rows: from the extremes as they are, each divided first, so that nothing overflows."""
    out = 0.0
    for k in range(least.shape[0] - 1, -1, -1):
        out += (least[k] / n - shift / n) + (most[k] / n - shift / n)
    return shift + (core + out)


def decide(view: View, keep: int, ratio: float, out: Any) -> None:
    """The estimate: gross values set aside if a gap and the variance both say so, else a gain for symmetry."""
    out[RAW] = raw_mean(view)
    out[CUT_LOW] = out[CUT_HIGH] = 0.0
    begin = view.total / view.core if view.core > 0 else 0.5 * (view.lo[-1] + view.hi[-1])
    theta, level, z, clipped = huber(view, 0, 0, FEWEST, begin)
    a, b = gap(view, begin)
    if a + b > 0:
        other = huber(view, a, b, FEWEST, begin)
        if other[1] > 0.0 and level * z > ratio * other[1] * other[2]:
            out[CUT_LOW], out[CUT_HIGH] = a, b
            answer(other[0], other[1], other[2], other[3], out)
            return
    if level * z <= 0.0:
        # Fewer rows differ from the rest than the threshold needs: the plain mean, with its plain variance.
        out[CENTRE], out[VARIANCE], out[LEVEL], out[CLIPPED] = out[RAW], squares_about(view, out[RAW]), inf, 0.0
        return
    widest = min(max(view.n / SHARE, FEWEST), keep + 1.0)
    if widest > FEWEST:
        gain = balance(view, widest, begin)
        theta, level, z, clipped = huber(view, 0, 0, FEWEST + (widest - FEWEST) * gain, begin)
    answer(theta, level, z, clipped, out)


def answer(theta: float, level: float, z: float, clipped: int, out: Any) -> None:
    out[CENTRE], out[VARIANCE], out[LEVEL], out[CLIPPED] = theta, level * z, sqrt(level), clipped


def raw_mean(view: View) -> float:
    out = view.total
    for k in range(view.lo.shape[0] - 1, -1, -1):
        out += view.lo[k] + view.hi[k]
    return out / view.n


def squares_about(view: View, theta: float) -> float:
    """The sum of squared distances of all rows, added up from the small end."""
    out = max(view.square - 2.0 * theta * view.total + view.core * theta * theta, 0.0)
    for k in range(view.lo.shape[0] - 1, -1, -1):
        out += (view.lo[k] - theta) * (view.lo[k] - theta) + (view.hi[k] - theta) * (view.hi[k] - theta)
    return out


def huber(view: View, a: int, b: int, z: float, theta: float) -> tuple[float, float, float, int]:
    """Solve sum min((x - theta)^2, l2) = z l2 and sum clip(x - theta, sqrt(l2)) = 0 together, without the a smallest
    and the b largest rows.

    Fewer than z values can be clipped, so only that many extremes of each side are handled one by one and the others
    join the core. Returns theta, l2, z and how many are clipped.
    """
    n = view.n - a - b
    z = min(z, n / 2)
    inner = narrowed(view, a, b, ceil(z) - 1)
    l2, clipped = 0.0, 0
    for _ in range(30):
        l2, clipped = threshold(inner, z, theta)
        level = sqrt(l2)
        total = inner.total
        for k in range(inner.lo.shape[0]):
            total += theta + min(max(inner.lo[k] - theta, -level), level)
        for k in range(inner.hi.shape[0]):
            total += theta + min(max(inner.hi[k] - theta, -level), level)
        step = (total / n - theta) / (1.0 - clipped / n)
        theta += step
        if abs(step) <= 1e-12 * level:
            break
    return theta, l2, z, clipped


def narrowed(view: View, a: int, b: int, most: int) -> View:
    """The same rows with only `most` extremes on each side, from the a-th and the b-th on; the others in the core."""
    m = view.lo.shape[0]
    below, above = min(m, a + most), min(m, b + most)
    core, total, square = view.core, view.total, view.square
    for k in range(m - 1, below - 1, -1):
        total += view.lo[k]
        square += view.lo[k] * view.lo[k]
        core += 1
    for k in range(m - 1, above - 1, -1):
        total += view.hi[k]
        square += view.hi[k] * view.hi[k]
        core += 1
    return View(view.lo[a:below], view.hi[b:above], view.n - a - b, core, total, square)


def threshold(view: View, z: float, theta: float) -> tuple[float, int]:
    """The l2 that solves sum min((x - theta)^2, l2) = z l2 for this theta, and how many values lie beyond it."""
    lo, hi = view.lo, view.hi
    core = max(view.square - 2.0 * theta * view.total + view.core * theta * theta, 0.0)
    i, j, k = 0, 0, 0
    while True:
        base = core
        for q in range(lo.shape[0] - 1, i - 1, -1):
            base += (lo[q] - theta) * (lo[q] - theta)
        for q in range(hi.shape[0] - 1, j - 1, -1):
            base += (hi[q] - theta) * (hi[q] - theta)
        l2 = base / (z - k)
        below = (lo[i] - theta) * (lo[i] - theta) if i < lo.shape[0] else -1.0
        above = (hi[j] - theta) * (hi[j] - theta) if j < hi.shape[0] else -1.0
        if k + 1 >= z or max(below, above) <= l2:
            return l2, k
        if below > above:
            i += 1
        else:
            j += 1
        k += 1


def gap(view: View, begin: float) -> tuple[int, int]:
    """How many of each side to set aside: the most k values that stand a gap apart from all the others.

    Sorted distances d_1 >= d_2 >= ... of a tail of index a make k log(d_k/d_{k+1}) exponential with mean 1/a, so
    more than GAP is what heavy tails almost never show.
    """
    lo, hi, m = view.lo, view.hi, view.lo.shape[0]
    i, j, a, b = 0, 0, 0, 0
    while i < m and j < m:
        farthest = max(abs(lo[i] - begin), abs(hi[j] - begin))
        if abs(lo[i] - begin) > abs(hi[j] - begin):
            i += 1
        else:
            j += 1
        k = i + j
        if i >= m or j >= m or k * TENTH > view.n:
            break
        following = max(abs(lo[i] - begin), abs(hi[j] - begin))
        if following > 0.0 and k * log(farthest / following) > GAP and supported(view, i, j, begin, following):
            a, b = i, j
    return a, b


def supported(view: View, a: int, b: int, begin: float, following: float) -> bool:
    """Whether the rest has at least as many rows as are set aside that are not far less wide than its widest.

    Where nearly all rows are alike, the few others are all the column has to say: a gap among them is no sign of
    gross values.
    """
    lo, hi, m = view.lo, view.hi, view.lo.shape[0]
    count = 0.0
    for k in range(a, m):
        count += abs(lo[k] - begin) * NARROW >= following
    for k in range(b, m):
        count += abs(hi[k] - begin) * NARROW >= following
    if max(abs(lo[m - 1] - begin), abs(hi[m - 1] - begin)) * NARROW >= following:
        count += min(spread_over(view, lo[m - 1]), spread_over(view, hi[m - 1]))
    return bool(count >= a + b)


def spread_over(view: View, end: float) -> float:
    """Over how many rows the core's distance from its end is spread: few if nearly all rows sit at that end."""
    total = view.total - view.core * end
    square = view.square - end * (2.0 * view.total - view.core * end)
    return total * total / square if square > 0.0 else 0.0


def balance(view: View, z: float, begin: float) -> float:
    """How alike the two tails are, from 0 (all on one side) to 1: the smaller side's clipped squares, doubled."""
    theta, l2, _, _ = huber(view, 0, 0, z, begin)
    up, down = 0.0, 0.0
    for k in range(min(ceil(z) - 1, view.lo.shape[0])):
        up += min(max(view.hi[k] - theta, 0.0) ** 2, l2)
        down += min(max(theta - view.lo[k], 0.0) ** 2, l2)
    return min(1.0, 2.0 * min(up, down) / max(up, down)) if max(up, down) > 0.0 else 0.0


def judge(view: View, out: Any) -> None:
    """What error bar and verdict need: the farthest rows, the rows that carry the variance, the tail."""
    theta, m = out[CENTRE], view.lo.shape[0]
    a, b = int(out[CUT_LOW]), int(out[CUT_HIGH])
    out[ABOVE] = max(view.hi[0] - theta, 0.0) if m > 0 else 0.0
    out[BELOW] = max(theta - view.lo[0], 0.0) if m > 0 else 0.0
    out[KEPT_ABOVE] = max(view.hi[b] - theta, 0.0) if b < m else 0.0
    out[KEPT_BELOW] = max(theta - view.lo[a], 0.0) if a < m else 0.0
    out[WHOLE] = squares_about(view, theta)
    # A row leads if it alone moves the plain mean by half a standard error.
    bound = 0.5 * sqrt(out[VARIANCE])
    leaders, leading = 0, 0.0
    for k in range(m):
        for distance in (view.hi[k] - theta, theta - view.lo[k]):
            if distance > bound > 0.0:
                leaders += 1
                leading += distance * distance
    out[LEADERS], out[LEADING] = leaders, leading
    out[TAIL] = inf
    if view.n >= 1000 and m > 16:
        out[TAIL] = min(hill(view.hi[:17], theta, 1.0), hill(view.lo[:17], theta, -1.0))


def hill(values: Any, theta: float, sign: float) -> float:
    """The tail index that the most extreme values of a side show, by the last of them; inf where they show no tail."""
    count = values.shape[0] - 1
    base = sign * (values[count] - theta)
    if not base > 0.0:
        return inf
    total = 0.0
    for k in range(count):
        total += log(sign * (values[k] - theta) / base)
    return count / total if total > 0.0 else inf


# ---------------------------------------------------------------------------------------------- the certificate


def certify(sketch: Sketch, ratio: float, answers: Any, moves: Any) -> None:
    """How far at most one more row can move each column's estimate, into `moves`.

    The estimate is a function of the sketch, so the worst rows are simply tried: on, beside and between all that is
    remembered, and ever farther out. `answers` is what `ask` said.
    """
    keep = sketch.low.shape[1]
    n = int(sketch.counts[0])
    for j in range(sketch.low.shape[0]):
        size = ldexp(1.0, int(answers[j, EXPONENT]))
        values = held(sketch, j)
        for k in range(values.shape[0]):
            values[k] = scaled(values[k], answers[j, SHIFT], 1.0 / size)
        core = core_sum(sketch, j) if n > 2 * keep else 0.0
        square = sketch.squares[j] if n > 2 * keep else 0.0
        rest = View(values, values, n, n - values.shape[0], core, square)
        moves[j] = worst(rest, keep, ratio, answers[j, CENTRE]) * size


def worst(rest: View, keep: int, ratio: float, theta: float) -> float:
    """The largest move of the estimate over the rows tried, with a quarter to spare for those between them."""
    begin = rest.total / rest.core if rest.core > 0 else theta
    distances = places(rest, begin)
    most = 0.0
    for k in range(distances.shape[0]):
        for sign in (-1.0, 1.0):
            most = max(most, moved(rest, keep, ratio, theta, begin + sign * distances[k]))
    return inf if most > 1e60 else 1.25 * most


def places(rest: View, begin: float) -> Any:
    """Distances at which to try a row: those of all remembered values, steps between them, the edges of the gap rule
    (where a row is just not set aside yet, or just keeps others from it), and far out."""
    known = rest.lo.shape[0]
    marks = np.empty(known + 2)
    marks[0], marks[1] = 1e-300, max(sqrt(max(rest.square, 0.0) / rest.n), 1e-300)
    for k in range(known):
        marks[k + 2] = max(abs(rest.lo[k] - begin), 1e-300)
    marks.sort()
    out = np.empty((known + 1) * (STEPS + 4) + 32)
    at = 0
    for k in range(known + 1):
        rank = known + 1 - k
        for step in range(STEPS):
            out[at + step] = marks[k] * (marks[k + 1] / marks[k]) ** (step / STEPS)
        for edge in range(2):
            near = 1.0 - 1e-3 + 2e-3 * edge
            out[at + STEPS + edge] = marks[k] * exp(GAP / rank) * near
            out[at + STEPS + 2 + edge] = marks[k + 1] * exp(-GAP / rank) * near
        at += STEPS + 4
    for step in range(32):
        out[at + step] = marks[known + 1] * 10.0 ** (5.0 * step)
    return np.minimum(out, FARTHEST)


def moved(rest: View, keep: int, ratio: float, theta: float, x: float) -> float:
    """How far the estimate moves when x joins; `rest.lo` has all remembered values, the others are in the core."""
    known, n = rest.lo.shape[0], rest.n + 1
    values = np.empty(known + 1)
    values[:known] = rest.lo
    values[known] = x
    values.sort()
    m = min(keep, n // 2)
    lo, hi = np.empty(m), np.empty(m)
    for k in range(m):
        lo[k], hi[k] = values[k], values[known - k]
    total, square = rest.total, rest.square
    for k in range(m, known + 1 - m):
        total += values[k]
        square += values[k] * values[k]
    out = np.empty(ANSWERS)
    decide(View(lo, hi, n, n - 2 * m, total, square), keep, ratio, out)
    return abs(out[CENTRE] - theta)  # type: ignore[no-any-return]
