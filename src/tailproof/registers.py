"""The words of `lanes.py` in a processor's own terms: a few instructions each, with no call and no memory between.

Only `compiled.py` calls this, and hands Numba in. Products are fused into sums where a word says so, nowhere else.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from . import lanes

WIDTH = lanes.LANES
DOUBLE, BIT, SHORT, WORD = ir.DoubleType(), ir.IntType(1), ir.IntType(32), ir.IntType(64)
REGISTER = ir.VectorType(DOUBLE, WIDTH)
FUSE = ("contract",)


def teach(numba: Any) -> None:
    """Tell Numba what each word means."""
    types, extending, cgutils = numba.types, numba.extending, numba.core.cgutils

    class Lanes(types.Type):  # type: ignore[misc, name-defined]
        """So many registers."""

        def __init__(self, count: int) -> None:
            self.count = count
            super().__init__(name=f"Lanes({count})")

    @extending.register_model(Lanes)
    class Model(extending.models.PrimitiveModel):  # type: ignore[misc, name-defined]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.ArrayType(REGISTER, kind.count))

    def word(function: Any, kind: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
        """`function` of such arguments has a result of that kind, made as the decorated function says: it is given
        the builder, the kinds of the arguments, and these, with arrays as (pointer to row i column j, numbers left)."""

        def typed(context: Any) -> Any:
            return kind

        extending.type_callable(function)(typed)

        def made_by(emit: Callable[..., Any]) -> None:
            @extending.lower_builtin(function, *arguments)  # type: ignore[untyped-decorator]
            def lower(context: Any, builder: Any, signature: Any, given: Any) -> Any:
                made = emit(builder, signature.args, *placed(context, builder, signature.args, given))
                return context.get_dummy_value() if made is None else made

        return made_by

    def placed(context: Any, builder: Any, kinds: Any, given: Any) -> list[Any]:
        """An array, a row and a column are a place in memory; all other arguments stay."""
        if not isinstance(kinds[0], types.Array):
            return list(given)
        array = context.make_array(kinds[0])(context, builder, given[0])
        row, column = (context.cast(builder, given[k], kinds[k], types.intp) for k in (1, 2))
        places = [row, column] if kinds[0].ndim == 2 else [column]
        pointer = cgutils.get_item_pointer(context, builder, kinds[0], array, places)
        length = cgutils.unpack_tuple(builder, array.shape, kinds[0].ndim)[-1]
        return [(pointer, builder.sub(length, column)), *given[3:]]

    like, lane = types.BaseTuple, Lanes
    place = (types.Array, types.Integer, types.Integer, like)

    def of_places(rows: Any, i: Any, j: Any, like: Any) -> Any:
        return Lanes(len(like))

    @word(lanes.load, of_places, *place)
    def load(builder: Any, kinds: Any, place: Any, like: Any) -> Any:
        return together(builder, load_row(builder, place, len(kinds[3]), minding=True))

    @word(lanes.load_whole, of_places, *place)
    def load_whole(builder: Any, kinds: Any, place: Any, like: Any) -> Any:
        return together(builder, load_row(builder, place, len(kinds[3]), minding=False))

    @word(lanes.store, lambda rows, i, j, like, lanes: types.none, *place, lane)
    def store(builder: Any, kinds: Any, place: Any, like: Any, lanes: Any) -> None:
        store_row(builder, place, apart(builder, lanes), minding=True)

    @word(lanes.store_whole, lambda rows, i, j, like, lanes: types.none, *place, lane)
    def store_whole(builder: Any, kinds: Any, place: Any, like: Any, lanes: Any) -> None:
        store_row(builder, place, apart(builder, lanes), minding=False)

    @word(lanes.fetch, lambda rows, i, j, like, distance: types.none, *place, types.Integer)
    def fetch(builder: Any, kinds: Any, place: Any, like: Any, distance: Any) -> None:
        for k in range(len(kinds[3])):
            further = builder.add(builder.sext(distance, WORD) if distance.type != WORD else distance, at(k * WIDTH))
            call(builder, "llvm.prefetch", ir.VoidType(), [builder.gep(place[0], [further]), *map(small, (0, 3, 1))])

    @word(lanes.all_equal, lambda value, like: Lanes(len(like)), types.Float, like)
    def all_equal(builder: Any, kinds: Any, value: Any, like: Any) -> Any:
        return together(builder, [everywhere(builder, value)] * len(kinds[1]))

    for name, compare in (("larger", ">"), ("smaller", "<")):

        @word(getattr(lanes, name), lambda a, b: a, lane, lane)
        def choose(builder: Any, kinds: Any, a: Any, b: Any, compare: str = compare) -> Any:
            both = zip(apart(builder, a), apart(builder, b), strict=True)
            return together(builder, [builder.select(builder.fcmp_ordered(compare, x, y), x, y) for x, y in both])

    for sign, what in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):

        @word(sign, lambda a, b: a if isinstance(a, Lanes) and a == b else None, lane, lane)
        def calculate(builder: Any, kinds: Any, a: Any, b: Any, what: str = what) -> Any:
            both = zip(apart(builder, a), apart(builder, b), strict=True)
            return together(builder, [getattr(builder, what)(x, y) for x, y in both])

    for kind in (lane, types.Float):

        @word(lanes.fused, lambda sum, a, b: sum, lane, lane, kind)
        def fuse(builder: Any, kinds: Any, sum: Any, a: Any, b: Any) -> Any:
            parts = apart(builder, sum)
            factors = [everywhere(builder, b)] * len(parts) if b.type == DOUBLE else apart(builder, b)
            triples = zip(parts, apart(builder, a), factors, strict=True)
            return together(builder, [fused(builder, *triple) for triple in triples])

    @word(lanes.dot, lambda a, b: types.float64, lane, lane)
    def dot(builder: Any, kinds: Any, a: Any, b: Any) -> Any:
        return summed(builder, products(builder, apart(builder, a), apart(builder, b)))

    @word(lanes.folded, lambda lanes: Lanes(1), lane)
    def folded(builder: Any, kinds: Any, lanes: Any) -> Any:
        return together(builder, [tree(builder, apart(builder, lanes))])

    @word(lanes.total, lambda lanes: types.float64, lane)
    def total(builder: Any, kinds: Any, lanes: Any) -> Any:
        return summed(builder, apart(builder, lanes))


# ------------------------------------------------------------------------------------------------ in and out of memory


def load_row(builder: Any, place: tuple[Any, Any], count: int, minding: bool) -> list[Any]:
    """Registers full of what lies from the pointer on; if minding the row's end, the last only up to there."""
    pointer, left = place
    kind = ir.VectorType(pointer.type.pointee, WIDTH)
    places = [register_at(builder, pointer, k) for k in range(count)]
    found = [loaded(builder, place) for place in places[: count - minding]]
    if minding:
        found.append(load_last(builder, places[-1], builder.sub(left, at((count - 1) * WIDTH))))
    return [builder.fpext(one, REGISTER) for one in found] if kind.element != DOUBLE else found


def load_last(builder: Any, place: Any, left: Any) -> Any:
    with builder.if_else(builder.icmp_signed(">=", left, at(WIDTH)), likely=True) as (whole, part):
        with whole:
            all_there, came_whole = loaded(builder, place), builder.block
        with part:
            kind = place.type.pointee
            nothing = ir.Constant(kind, [0.0] * WIDTH)
            given = [place, small(size_of(kind)), up_to(builder, left), nothing]
            some_there, came_part = call(builder, "llvm.masked.load", kind, given, kind), builder.block
    found = builder.phi(place.type.pointee)
    found.add_incoming(all_there, came_whole)
    found.add_incoming(some_there, came_part)
    return found


def store_row(builder: Any, place: tuple[Any, Any], parts: list[Any], minding: bool) -> None:
    pointer, left = place
    places = [register_at(builder, pointer, k) for k in range(len(parts))]
    for part, place in list(zip(parts, places, strict=True))[: len(parts) - minding]:
        builder.store(part, place).align = size_of(REGISTER)
    if minding:
        last = up_to(builder, builder.sub(left, at((len(parts) - 1) * WIDTH)))
        given = [parts[-1], places[-1], small(size_of(REGISTER)), last]
        call(builder, "llvm.masked.store", ir.VoidType(), given, REGISTER)


def register_at(builder: Any, pointer: Any, k: int) -> Any:
    kind = ir.VectorType(pointer.type.pointee, WIDTH)
    return builder.bitcast(builder.gep(pointer, [at(k * WIDTH)]), kind.as_pointer())


def loaded(builder: Any, place: Any) -> Any:
    found = builder.load(place)
    found.align = size_of(place.type.pointee)
    return found


def size_of(kind: Any) -> int:
    return 8 if kind.element == DOUBLE else 4


def up_to(builder: Any, left: Any) -> Any:
    """The lanes that lie before the row's end."""
    lanes = ir.Constant(ir.VectorType(WORD, WIDTH), list(range(WIDTH)))
    return builder.icmp_signed("<", lanes, everywhere(builder, left))


def call(builder: Any, name: str, result: Any, given: list[Any], *kinds: Any) -> Any:
    """One of the compiler's own functions, which are named after what they are used on."""
    named = ".".join([name, *(f"v{WIDTH}f{8 * size_of(kind)}" for kind in kinds), "p0"])
    known = builder.module.globals.get(named)
    if known is None:
        known = ir.Function(builder.module, ir.FunctionType(result, [one.type for one in given]), named)
    return builder.call(known, given)


# -------------------------------------------------------------------------------------------------- between registers


def apart(builder: Any, lanes: Any) -> list[Any]:
    return [builder.extract_value(lanes, k) for k in range(lanes.type.count)]


def together(builder: Any, parts: list[Any]) -> Any:
    whole = ir.Constant(ir.ArrayType(REGISTER, len(parts)), ir.Undefined)
    for k, part in enumerate(parts):
        whole = builder.insert_value(whole, part, k)
    return whole


def everywhere(builder: Any, value: Any) -> Any:
    """One number in all lanes."""
    blank = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
    return builder.shuffle_vector(builder.insert_element(blank, value, small(0)), blank, places([0] * WIDTH))


def fused(builder: Any, sum: Any, a: Any, b: Any) -> Any:
    return builder.fadd(sum, builder.fmul(a, b, flags=FUSE), flags=FUSE)


def products(builder: Any, a: list[Any], b: list[Any]) -> list[Any]:
    """Register by register, two and two added up."""
    sums = [builder.fmul(x, y, flags=FUSE) for x, y in zip(a[::2], b[::2], strict=True)]
    for k, (x, y) in enumerate(zip(a[1::2], b[1::2], strict=True)):
        sums[k] = fused(builder, sums[k], x, y)
    return sums


def tree(builder: Any, parts: list[Any]) -> Any:
    while len(parts) > 1:
        pairs = [builder.fadd(x, y, flags=FUSE) for x, y in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, *parts[len(pairs) * 2 :]]
    return parts[0]


def summed(builder: Any, parts: list[Any]) -> Any:
    """The sum of all lanes: halves onto halves."""
    lanes = tree(builder, parts)
    width = WIDTH
    while width > 1:
        width //= 2
        blank = ir.Constant(lanes.type, ir.Undefined)
        low = builder.shuffle_vector(lanes, blank, places(range(width)))
        high = builder.shuffle_vector(lanes, blank, places(range(width, 2 * width)))
        lanes = builder.fadd(low, high)
    return builder.extract_element(lanes, small(0))


def places(numbers: Any) -> Any:
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(SHORT, len(chosen)), chosen)


def small(number: int) -> Any:
    return ir.Constant(SHORT, number)


def at(number: int) -> Any:
    return ir.Constant(WORD, number)
