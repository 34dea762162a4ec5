"""A column as its extremes and the sums of its core: order-free and exactly mergeable.

A column remembers its K smallest and K largest values as they came, and for all the others (the core) the sum and
the sum of squares of (x - shift) / 2^exponent. The first 2K rows are kept whole; then `shift` becomes their upper
median and `exponent` the size of their spread, so that no finite value overflows a square.

Plain Python throughout; the same source becomes machine code in `compiled.py`. Sums are added strictly row by row,
so that any chunking of a stream gives the same bits.
"""

from math import frexp, inf, ldexp, sqrt
from typing import Any, NamedTuple

import numpy as np

from .lanes import (
    LANES,
    ONE,
    TWO,
    all_equal,
    fetch,
    larger,
    load,
    load_whole,
    padded,
    smaller,
    store,
    store_whole,
)

# A sum of squares at or beyond this means that the column's exponent is too small for it.
LIMIT = 2.0**800
# Running sums move into `total` every so many rows: two short sums lose far less than one long one.
PANEL = 1024
# Fewest and most rows that are swept at once.
LOWEST, HIGHEST = 8, 64
# A core this far from the shift, in squared standard deviations, is moved to it.
FAR = 2.0**-10
# Values of a block of more than the fewest rows, which should stay in the nearest cache beside all that is kept of the
# columns; and where the length of a row is a power of two, few rows find a place there at all.
NEAR = 1 << 15
# Rows of so many columns are asked for a block ahead.
LONG = 40


class Sketch(NamedTuple):
    """The arrays of p columns with K extremes a side and G round-robin groups (1 unless a radius is wanted)."""

    low: Any  # (p, K) smallest, ascending; the first K rows as they came while there are fewer than 2K
    high: Any  # (p, K) largest, descending; the next K rows
    shift: Any  # (p,)
    exponent: Any  # (p,)
    sums: Any  # (G, p) running sums of the core, in units of 2^exponent about the shift
    total: Any  # (p,) what the running sums have grown to, or empty
    squares: Any  # (p,)
    members: Any  # (G,) core values in each group
    counts: Any  # rows used, rows refused
    farthest: Any  # (1,) the longest distance of a row from the shift, or empty


# ---------------------------------------------------------------------------------------------- taking rows in


def absorb(sketch: Sketch, X: Any) -> None:
    """Take the rows of X in, in order."""
    begin = 0
    while begin < X.shape[0] and sketch.counts[0] < 2 * sketch.low.shape[1]:
        collect(sketch, X[begin])
        begin += 1
    work = workplace(X.shape[1])
    for j in range(X.shape[1]):
        refresh(sketch, j, work)
    while begin < X.shape[0]:
        until = pause(sketch.counts[0])
        end = min(X.shape[0], begin + height(sketch.counts[0], X.shape[1]), begin + until)
        sweep(X, begin, end, sketch.sums, sketch.squares, work)
        doubtful = doubts(sketch.squares, work)
        if doubtful > 0 and not settled(X, begin, end, sketch.squares):
            undo_block(sketch, work)
            for i in range(begin, end):
                take_row(sketch, X, i, work)
        else:
            if sketch.sums.shape[0] > 1:
                share(X, begin, end, sketch.sums, sketch.counts[0], work, doubtful)
            elif doubtful > 0:
                doubtful = again(X, begin, end, sketch.low, sketch.high, sketch.sums[0], sketch.squares, work)
            if doubtful > 0:
                finish(sketch, X, begin, end, work)
            if sketch.farthest.shape[0] > 0:
                reach(sketch, X, begin, end)
            admit(end - begin, sketch.members, sketch.counts)
            if end - begin == until:
                rest(sketch, work)
        begin = end


def workplace(columns: int) -> Any:
    """Ten rows to work with: unit, shift, ceiling and floor, as `refresh` has them; the block's largest and smallest;
    sums and squares as they were before the block; who is in doubt; sums that nobody wants.

    They begin on a cache line, without which a sweep takes twice the time, and each is a register longer than it need
    be, lest where the number of columns is a power of two all lie at the same few places of the nearest cache.
    """
    length = padded(columns) + LANES
    room = np.zeros(10 * length + LANES)
    begin = -(room.ctypes.data // 8) % LANES
    return room[begin : begin + 10 * length].reshape(10, length)


def height(rows: int, columns: int) -> int:
    """Rows to sweep at once: few while extremes are still met often, for then much is swept twice; later more."""
    block = LOWEST
    while block < HIGHEST and block * 2048 < rows and block * columns < NEAR:
        block *= 2
    # Narrow rows go in higher blocks: what is done once a block must not weigh.
    while block * columns < 512:
        block *= 2
    return block


def collect(sketch: Sketch, x: Any) -> None:
    """One of the first 2K rows: kept as it is, the first K in `low`, the others in `high`."""
    if not whole(x):
        sketch.counts[1] += 1
        return
    keep = sketch.low.shape[1]
    row = sketch.counts[0]
    for j in range(x.shape[0]):
        if row < keep:
            sketch.low[j, row] = x[j]
        else:
            sketch.high[j, row - keep] = x[j]
    sketch.counts[0] += 1
    if sketch.counts[0] == 2 * keep:
        settle(sketch)


def settle(sketch: Sketch) -> None:
    """There are 2K rows: sort them into the lists and take shifts and exponents from them."""
    columns, keep = sketch.low.shape
    first = np.empty((2 * keep, columns))
    for j in range(columns):
        for k in range(keep):
            first[k, j] = sketch.low[j, k]
            first[keep + k, j] = sketch.high[j, k]
        split(sketch, j, first[:, j].copy())
    if sketch.farthest.shape[0] > 0:
        reach(sketch, first, 0, 2 * keep)


def split(sketch: Sketch, j: int, values: Any) -> None:
    """Sort a column's first 2K values into its two lists."""
    keep = sketch.low.shape[1]
    values.sort()
    for k in range(keep):
        sketch.low[j, k] = values[k]
        sketch.high[j, k] = values[2 * keep - 1 - k]
    sketch.shift[j] = values[keep]
    sketch.exponent[j] = magnitude(values)


def magnitude(values: Any) -> int:
    """The binary exponent of the spread of sorted values: of their middle half, else of all, else of the value."""
    n = values.shape[0]
    spread = values[n - 1 - n // 4] * 0.5 - values[n // 4] * 0.5
    if spread == 0.0:
        spread = values[n - 1] * 0.5 - values[0] * 0.5
    if spread == 0.0:
        spread = values[0] * 0.5
    return max(-1000, min(1000, frexp(spread)[1] + 1))


def refresh(sketch: Sketch, j: int, work: Any) -> None:
    """Lay out column j for the sweep: unit, shift in units, and the values beyond which a row is extreme."""
    last = sketch.low.shape[1] - 1
    work[0, j] = ldexp(1.0, -int(sketch.exponent[j]))
    work[1, j] = sketch.shift[j] * work[0, j]
    work[2, j] = sketch.high[j, last]
    work[3, j] = sketch.low[j, last]


def pause(rows: int) -> int:
    """Rows until the next rest: at powers of two, and from PANEL on at every multiple of it."""
    if rows >= PANEL:
        return PANEL - rows % PANEL
    stop = 64
    while stop <= rows:
        stop *= 2
    return stop - rows


def sweep(X: Any, begin: int, end: int, groups: Any, squares: Any, work: Any) -> None:
    """Add all rows of the block as if none were extreme, and note each column's largest and smallest.

    Some columns at a time, whose sums stay in registers while all rows of the block go by. With round-robin groups the
    sums are made later, and those made here are thrown away.
    """
    sums, columns, j = groups[0] if groups.shape[0] == 1 else work[9], squares.shape[0], 0
    while columns - j > LANES:
        sweep_columns(X, begin, end, j, TWO, sums, squares, work)
        j += 2 * LANES
    if j < columns:
        sweep_columns(X, begin, end, j, ONE, sums, squares, work)


def sweep_columns(X: Any, begin: int, end: int, j: int, like: Any, sums: Any, squares: Any, work: Any) -> None:
    """Every column's sums grow strictly row by row. Meanwhile the next block is brought near, from its begin to its end
    in as many steps as this block has."""
    ahead, width = (end - begin) * (squares.shape[0] + j) if squares.shape[0] >= LONG else 0, LANES * len(like)
    unit, centre = load_whole(work, 0, j, like), load_whole(work, 1, j, like)
    total, square = load(sums, 0, j, like), load(squares, 0, j, like)
    store_whole(work, 6, j, like, total)
    store_whole(work, 7, j, like, square)
    most, least = all_equal(-inf, like), all_equal(inf, like)
    for i in range(begin, end):
        x = load(X, i, j, like)
        if ahead > 0:
            fetch(X, begin, 0, like, ahead)
            ahead += width
        most, least = larger(x, most), smaller(x, least)
        v = x * unit - centre
        total = total + v
        square = square + v * v
    store(sums, 0, j, like, total)
    store(squares, 0, j, like, square)
    store_whole(work, 4, j, like, most)
    store_whole(work, 5, j, like, least)


def settled(X: Any, begin: int, end: int, squares: Any) -> bool:
    """Whether every row of the block is finite. Only a sum of squares gone wrong makes it look."""
    suspect = 0
    for j in range(squares.shape[0]):
        suspect += not squares[j] < LIMIT
    if suspect > 0:
        for i in range(begin, end):
            if not whole(X[i]):
                return False
    return True


def doubts(squares: Any, work: Any) -> int:
    """Mark and count the columns that met an extreme, or a value too large for their exponent, in the block."""
    count = 0
    for j in range(squares.shape[0]):
        count += (work[4, j] > work[2, j]) | (work[5, j] < work[3, j]) | (not squares[j] < LIMIT)
    if count > 0:
        for j in range(squares.shape[0]):
            work[8, j] = (work[4, j] > work[2, j]) | (work[5, j] < work[3, j]) | (not squares[j] < LIMIT)
    return count


def again(X: Any, begin: int, end: int, low: Any, high: Any, sums: Any, squares: Any, work: Any) -> int:
    """Go through the columns in doubt again, value by value, each up to the first value that its exponent does not
    fit. Marks how far each came; returns how many stopped short.

    It does what `swap` and `join` do, with the sums at hand: early in a stream this is most of the work.
    """
    last = low.shape[1] - 1
    short = 0
    for j in range(squares.shape[0]):
        if work[8, j] == 0.0:
            continue
        unit, centre, ceiling, floor = work[0, j], work[1, j], work[2, j], work[3, j]
        total, square = work[6, j], work[7, j]
        work[8, j] = 0.0
        for i in range(begin, end):
            x = X[i, j]
            out = high[j, last] if x > ceiling else low[j, last] if x < floor else x
            v = out * unit - centre
            if not square + v * v < LIMIT:
                work[8, j] = i - begin + 1.0
                short += 1
                break
            if x > ceiling:
                enter_high(high[j], x)
                ceiling = high[j, last]
            elif x < floor:
                enter_low(low[j], x)
                floor = low[j, last]
            total += v
            square += v * v
        sums[j], squares[j], work[2, j], work[3, j] = total, square, ceiling, floor
    return short


def finish(sketch: Sketch, X: Any, begin: int, end: int, work: Any) -> None:
    """Take the rest of the marked columns in with all the care there is."""
    for j in range(sketch.squares.shape[0]):
        if work[8, j] != 0.0:
            if sketch.sums.shape[0] > 1:
                sketch.squares[j] = work[7, j]
            for i in range(begin + int(work[8, j]) - 1, end):
                take(sketch, j, X[i, j], sketch.counts[0] + i - begin)
            refresh(sketch, j, work)


def share(X: Any, begin: int, end: int, sums: Any, rows: int, work: Any, doubtful: int) -> None:
    """With round-robin groups each row has sums of its own to go to; columns in doubt are taken in later."""
    for i in range(begin, end):
        x = X[i]
        own = sums[(rows + i - begin) % sums.shape[0]]
        for j in range(x.shape[0]):
            own[j] += x[j] * work[0, j] - work[1, j] if doubtful == 0 or work[8, j] == 0.0 else 0.0


def undo_block(sketch: Sketch, work: Any) -> None:
    """Some row of the block holds NaN or inf: take the whole sweep back."""
    for j in range(sketch.squares.shape[0]):
        sketch.squares[j] = work[7, j]
        if sketch.sums.shape[0] == 1:
            sketch.sums[0, j] = work[6, j]


def take_row(sketch: Sketch, X: Any, i: int, work: Any) -> None:
    """One row by itself: refused whole if it is not finite."""
    if not whole(X[i]):
        sketch.counts[1] += 1
        return
    for j in range(X.shape[1]):
        take(sketch, j, X[i, j], sketch.counts[0])
        refresh(sketch, j, work)
    if sketch.farthest.shape[0] > 0:
        reach(sketch, X, i, i + 1)
    until = pause(sketch.counts[0])
    admit(1, sketch.members, sketch.counts)
    if until == 1:
        rest(sketch, work)


def take(sketch: Sketch, j: int, x: float, row: int) -> None:
    """One value of column j: an extreme enters its list, what it drives out joins the core; any other joins."""
    join(sketch, j, swap(x, sketch.low[j], sketch.high[j]), row % sketch.sums.shape[0])


def swap(x: float, low: Any, high: Any) -> float:
    """An extreme takes its place in a list and the value that falls out is returned; any other value as it is."""
    if x > high[high.shape[0] - 1]:
        return enter_high(high, x)
    if x < low[low.shape[0] - 1]:
        return enter_low(low, x)
    return x


def enter_high(values: Any, x: float) -> float:
    """Put x into the descending list and return the value that falls out."""
    k = values.shape[0] - 1
    out = values[k]
    while k > 0 and values[k - 1] < x:
        values[k] = values[k - 1]
        k -= 1
    values[k] = x
    return out  # type: ignore[no-any-return]


def enter_low(values: Any, x: float) -> float:
    """Put x into the ascending list and return the value that falls out."""
    k = values.shape[0] - 1
    out = values[k]
    while k > 0 and values[k - 1] > x:
        values[k] = values[k - 1]
        k -= 1
    values[k] = x
    return out  # type: ignore[no-any-return]


def join(sketch: Sketch, j: int, x: float, group: int) -> None:
    """Add x to the core of column j, raising the column's exponent first where its square would not fit."""
    v = in_units(sketch, j, x)
    if not sketch.squares[j] + v * v < LIMIT:
        size = frexp(x * 0.5 - sketch.shift[j] * 0.5)[1] + 1
        raise_exponent(sketch, j, min(size, 1000) - int(sketch.exponent[j]))
        v = in_units(sketch, j, x)
    sketch.sums[group, j] += v
    sketch.squares[j] += v * v


def in_units(sketch: Sketch, j: int, x: float) -> float:
    """x about the shift, in units of 2^exponent; scaled first, so that the difference cannot overflow."""
    unit = ldexp(1.0, -int(sketch.exponent[j]))
    return x * unit - sketch.shift[j] * unit  # type: ignore[no-any-return]


def raise_exponent(sketch: Sketch, j: int, rise: int) -> None:
    """Measure column j in units 2^rise times as large: exact, but for what falls below the smallest number."""
    sketch.exponent[j] += rise
    for g in range(sketch.sums.shape[0]):
        sketch.sums[g, j] = ldexp(sketch.sums[g, j], -rise)
    if sketch.total.shape[0] > 0:
        sketch.total[j] = ldexp(sketch.total[j], -rise)
    sketch.squares[j] = ldexp(sketch.squares[j], -2 * rise)


def admit(rows: int, members: Any, counts: Any) -> None:
    """Count rows that have joined."""
    if members.shape[0] == 1:
        members[0] += rows
    for group in range(members.shape[0] if members.shape[0] > 1 else 0):
        members[group] += turns(counts[0], rows, group, members.shape[0])
    counts[0] += rows


def turns(first: int, rows: int, group: int, groups: int) -> int:
    """How many of `rows` rows from number `first` on are dealt to a group."""
    return (first + rows - 1 - group) // groups - (first - 1 - group) // groups


def reach(sketch: Sketch, X: Any, begin: int, end: int) -> None:
    """Raise `farthest` to the longest distance of these rows from the shift."""
    longest = sketch.farthest[0] * sketch.farthest[0]
    for i in range(begin, end):
        total = 0.0
        for j in range(X.shape[1]):
            total += (X[i, j] - sketch.shift[j]) * (X[i, j] - sketch.shift[j])
        longest = max(longest, min(total, 1e300))
    sketch.farthest[0] = sqrt(longest)


def rest(sketch: Sketch, work: Any) -> None:
    """At a panel's end move the running sums into the totals; at powers of two look whether a shift is far off."""
    rows = sketch.counts[0]
    if rows % PANEL == 0 and sketch.total.shape[0] > 0:
        for j in range(sketch.total.shape[0]):
            sketch.total[j] += sketch.sums[0, j]
            sketch.sums[0, j] = 0.0
    if rows >= 64 and rows & (rows - 1) == 0:
        for j in range(sketch.squares.shape[0]):
            if far(sketch, j):
                recentre(sketch, j)
                refresh(sketch, j, work)


def far(sketch: Sketch, j: int) -> bool:
    """Whether the core lies more than a thirtieth of a standard deviation from the shift: digits are being lost."""
    core = sketch.members.sum()
    mean = core_sum(sketch, j) / core
    return bool(mean * mean > FAR * max(sketch.squares[j] / core - mean * mean, 0.0))


def core_sum(sketch: Sketch, j: int) -> float:
    out = sketch.total[j] if sketch.total.shape[0] > 0 else 0.0
    for g in range(sketch.sums.shape[0]):
        out += sketch.sums[g, j]
    return out


def recentre(sketch: Sketch, j: int) -> None:
    """Move the shift to the mean of the core."""
    size = ldexp(1.0, int(sketch.exponent[j]))
    moved = sketch.shift[j] + core_sum(sketch, j) / sketch.members.sum() * size
    by = in_units(sketch, j, moved)
    if by != 0.0:
        translate(sketch, j, -by)
        sketch.shift[j] = moved


def translate(sketch: Sketch, j: int, by: float) -> None:
    """The sums of the core after `by` units are added to each of its values."""
    core = sketch.members.sum()
    sketch.squares[j] = max(sketch.squares[j] + by * (2.0 * core_sum(sketch, j) + core * by), 0.0)
    for g in range(sketch.sums.shape[0]):
        sketch.sums[g, j] += sketch.members[g] * by


def whole(x: Any) -> bool:
    """Whether a row has no NaN and no inf."""
    doubt = 0.0
    for j in range(x.shape[0]):
        doubt += x[j] * 0.0
    return bool(doubt == 0.0)


# ------------------------------------------------------------------------------------------------------ merging


def merge(a: Sketch, b: Sketch) -> None:
    """Add b, which is spent, to a; both have seen at least 2K rows."""
    columns, keep = a.low.shape
    groups = a.sums.shape[0]
    spilled = np.empty(2 * keep)
    for j in range(columns):
        align(a, b, j)
        for g in range(groups):
            a.sums[g, j] += b.sums[g, j]
        if a.total.shape[0] > 0:
            a.total[j] += b.total[j]
        a.squares[j] += b.squares[j]
        spill(a.low[j], b.low[j], 1.0, spilled[:keep])
        spill(a.high[j], b.high[j], -1.0, spilled[keep:])
        for k in range(2 * keep):
            join(a, j, spilled[k], k % groups)
    a.members[:] += b.members
    for k in range(2 * keep):
        a.members[k % groups] += 1
    a.counts[:] += b.counts


def align(a: Sketch, b: Sketch, j: int) -> None:
    """Bring column j of both to the larger unit, and b's sums to a's shift."""
    rise = int(b.exponent[j]) - int(a.exponent[j])
    if rise > 0:
        raise_exponent(a, j, rise)
    elif rise < 0:
        raise_exponent(b, j, -rise)
    translate(b, j, in_units(a, j, b.shift[j]))


def spill(values: Any, others: Any, sign: float, spilled: Any) -> None:
    """Keep the most extreme half of two lists in `values`, the rest in `spilled`, each from the extreme inwards."""
    keep = values.shape[0]
    both = np.empty(2 * keep)
    for k in range(keep):
        both[k] = sign * values[k]
        both[keep + k] = sign * others[k]
    both.sort()
    for k in range(keep):
        values[k] = sign * both[k]
        spilled[k] = sign * both[keep + k]
