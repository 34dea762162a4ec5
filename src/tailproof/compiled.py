"""The loops as machine code. The only file that names Numba.

Nothing is written twice: one line tells Numba that such a call on a piece means that class's own method, another that
a call of a function means its source. What is compiled is kept on disk under a key that holds a digest of every file
that defines it, since Numba's own key sees edits in one file only.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import answers, block_loop, lanes, loop, losses, piece, race_loop, racing, row_loop, sketch, tuned_loop, turning

# Sums may be reordered and multiplications fused where only rounding changes; NaN and inf keep their meaning.
DESCENT = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
# The sketch promises the same bits for any chunking: its sums are added in the order of the source.
EXACT = {"error_model": "numpy"}
# Random numbers are rounded by adding and taking away a large number: nothing there may be reordered.
DRAWING = {"error_model": "numpy", "fastmath": {"contract"}}
# The rooms whose sums may be reordered.
DESCENTS = (loop, row_loop, race_loop, tuned_loop)
_ROOMS = (loop, row_loop, sketch, answers, turning, racing, tuned_loop, race_loop, block_loop)
# Rooms from higher up in the house, and how they are compiled; they call one another.
_guests: dict[Any, dict[str, Any]] = {}
# Values that plain Python handles in less time than it takes to wake the compiler and to load a kernel. The sketch
# gives the same bits either way, so nobody can tell but by the clock.
SMALL = 150_000
# Values that NumPy may handle before: it does so in a fraction of the time that waking takes.
PATIENT = 1 << 22

Kernel = Callable[..., None]
_waking = threading.Lock()
_plain_so_far = 0
_by_numpy = 0
_awake = False
_alone = False
_machines: list[Any] = []
_made: dict[tuple[str, tuple[type, ...]], Kernel] = {}
_say_that_it_takes_a_while: Callable[[], None] = lambda: None  # noqa: E731
UNKEPT = "no folder to keep compiled code in: each start compiles anew; set NUMBA_CACHE_DIR to a writable folder"


def before_compiling(say: Callable[[], None]) -> None:
    """What to do, once, before the first kernel that is not yet kept on disk is compiled."""
    global _say_that_it_takes_a_while
    _say_that_it_takes_a_while = functools.cache(say)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)


_say_unkept: Callable[[str], None] = _warn


def when_unkept(say: Callable[[str], None]) -> None:
    """What to do, once, with the sentence that no folder is there to keep machine code in; else it is a warning."""
    global _say_unkept
    _say_unkept = say


def eager() -> None:
    """From now on all work is for machine code, however little."""
    global _plain_so_far, _by_numpy
    _plain_so_far, _by_numpy = SMALL, PATIENT + 1


def compiled_anew() -> int:
    """How many times this process had to compile, for want of kept code."""
    return sum(sum(machine.stats.cache_misses.values()) for machine in _machines)


def kept_in() -> list[str]:
    """The folders that the machine code in use is kept in."""
    return sorted({str(path) for machine in _machines if (path := machine.stats.cache_path)})


def alone() -> None:
    """This process is the command line's own: nobody else here will ask Numba for linear algebra."""
    global _alone
    _alone = True


def kernel(name: str, *pieces: Any, work: int = SMALL) -> Kernel:
    """The function `name` of `loop`, `sketch` or `answers` for rules made of these pieces: as machine code, or, where
    there is only little work for a sketch so far, as it stands."""
    global _plain_so_far
    if not _awake and _room(name) not in (*DESCENTS, *_guests) and _plain_so_far + work < SMALL:
        _plain_so_far += work
        return _plain(getattr(_room(name), name))
    return _machine(name, tuple(type(piece) for piece in pieces))


def blindly(run: Kernel, *arguments: Any) -> Callable[[tuple[Any, ...]], None] | None:
    """What a kernel does for arguments of these very types, without a look at them, in a third of the time: for single
    rows. Whoever calls it has looked. None where there is no machine code for such arguments."""
    kinds = tuple(map(run.typeof_pyval, arguments)) if hasattr(run, "typeof_pyval") else ()
    for signature, made in getattr(run, "overloads", {}).items():
        if tuple(signature[0]) == kinds:
            return made.entry_point  # type: ignore[no-any-return]
    return None


def worth_waking(work: int) -> bool:
    """Whether machine code is at hand, or so much has been done by NumPy that it is time to wake the compiler."""
    global _by_numpy
    if not _awake:
        _by_numpy += work
    return _awake or _by_numpy > PATIENT


def _room(name: str) -> Any:
    return next(room for room in (*_ROOMS, *_guests) if hasattr(room, name))


def invite(rooms: dict[Any, dict[str, Any]]) -> None:
    """Take in rooms that are made for machine code only: module and options. Their kernels' names are theirs alone."""
    with _waking:
        for module, options in rooms.items():
            if module not in _guests:
                _guests[module] = options
                if _awake:
                    _teach(module, options)


@functools.cache
def _plain(function: Kernel) -> Kernel:
    @functools.wraps(function)
    def run(*arguments: Any) -> None:
        # Machine code lets a square overflow to inf without a word; so must this.
        with np.errstate(all="ignore"):
            function(*arguments)

    return run


@functools.cache
def _wake() -> Any:
    """Import Numba and teach it what our records and functions mean: half a second, so only when there is work."""
    global _awake
    import numba
    import numba.extending

    # Its published types know less than it takes.
    extending: Any = numba.extending
    if _alone:
        _without_blas()

    def teach_verb(verb: str, shape: Any) -> None:
        """On any record, `record.verb(...)` means the method of the record's class; `shape` has its arguments."""
        extending.overload_method(numba.types.BaseNamedTuple, verb, strict=False, jit_options=DESCENT)(shape)

    teach_verb("gradient", lambda self, theta, x, y, g: self.instance_class.gradient)
    teach_verb("curve", lambda self, z: self.instance_class.curve)
    teach_verb("slope", lambda self, z, y: self.instance_class.slope)
    teach_verb("allow", lambda self, memory: self.instance_class.allow)
    teach_verb("learn", lambda self, memory, squared: self.instance_class.learn)
    teach_verb("size", lambda self, t: self.instance_class.size)
    teach_verb("pull", lambda self, theta: self.instance_class.pull)
    # A method is taught for one number of arguments, and there are two kinds of losses.
    for function, shape in (
        (losses.lost, lambda loss, z, y: loss.instance_class.value),
        (losses.lost_at, lambda loss, theta, x, y: loss.instance_class.value),
    ):
        extending.overload(function, strict=False, jit_options=DESCENT)(shape)
    _teach_nth(extending)
    # Known only once Numba is there.
    from . import registers

    registers.teach(numba)
    extending.overload(lanes.padded, strict=False, jit_options=EXACT)(_meaning(lanes.padded))
    for module in (loop, row_loop, tuned_loop):
        _teach(module, DESCENT)
    # Candidates are handed on in many arrays, which costs more, row by row, than what is done with them.
    _teach(race_loop, {**DESCENT, "forceinline": True})
    for module in (sketch, answers, turning, racing, block_loop):
        _teach(module, EXACT)
    for module, options in _guests.items():
        _teach(module, options)
    _awake = True
    return numba


def _teach(module: Any, options: dict[str, Any]) -> None:
    """A call of a plain function of this module means its own source."""
    from numba import extending

    for function in _functions(module):
        overload: Any = extending.overload
        overload(function, strict=False, jit_options=options)(_meaning(function))


def _teach_nth(extending: Any) -> None:
    """`nth` puts numbers into a record, which takes more than Python that Numba reads."""
    from numba import types
    from numba.core import cgutils

    pointer: Any = cgutils.get_item_pointer

    def made(typing: Any, like: Any, numbers: Any, k: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            kind = signature.args[1]
            held = context.make_array(kind)(context, builder, given[1])
            column = context.cast(builder, given[2], signature.args[2], types.intp)
            values = [builder.extract_value(given[0], j) for j in range(len(like.types))]
            for j, field in enumerate(like.types):
                if field == types.float64:
                    place = [context.get_constant(types.intp, j), column]
                    values[j] = builder.load(pointer(context, builder, kind, held, place))
            return context.make_tuple(builder, like, values)

        return like(like, numbers, k), generate

    make: Any = extending.intrinsic(made)
    extending.overload(piece.nth, strict=False, jit_options=DESCENT)(
        lambda like, numbers, k: lambda like, numbers, k: make(like, numbers, k)
    )


def _without_blas() -> None:
    """Let Numba find no BLAS, for which it would import SciPy's linear algebra: a sixth of a second."""
    if "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]  # makes an import of it fail
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules["scipy.linalg"]


def awake() -> bool:
    """Whether machine code is at hand."""
    return _awake


def too_clever(error: Exception) -> bool:
    """Whether an error says that some Python cannot be made machine code."""
    return type(error).__module__.startswith("numba.")


def _functions(module: Any) -> list[Any]:
    return [f for _, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__]


def _meaning(function: Any) -> Any:
    return lambda *arguments: function


def _machine(name: str, kinds: tuple[type, ...]) -> Kernel:
    """One for all threads: compiled twice it would take twice as long."""
    found = _made.get((name, kinds))
    if found is None:
        with _waking:
            found = _made.get((name, kinds)) or _made.setdefault((name, kinds), _make(name, kinds))
    return found


def _make(name: str, kinds: tuple[type, ...]) -> Kernel:
    numba = _wake()
    module = _room(name)
    options = _guests.get(module, DESCENT if module in DESCENTS else EXACT)
    # A class of the running script or of a notebook has no file that a later process could find it by.
    lasting = all(kind.__module__ in sys.modules and kind.__module__ != "__main__" for kind in kinds)
    keep = lasting and _can_keep(numba.config.CACHE_DIR)
    function, digest = getattr(module, name), _digest(module, kinds)

    # What is captured enters the key under which Numba keeps the machine code, so it must be the same in every
    # process: a plain function is kept by its name, a compiled one is not.
    def enter(*arguments: Any) -> None:
        digest  # noqa: B018
        function(*arguments)

    # Each kernel for each set of pieces is kept in a file of its own, named after this: one that held them all could
    # be read only where every user's module of losses can be imported.
    enter.__qualname__ = f"{name}_{digest[:24]}"
    machine: Any = numba.njit(cache=keep, nogil=True, **options)(enter)
    if lasting and not keep:
        _look_only(machine)
    _machines.append(machine)
    if not _kept(machine):
        _say_that_it_takes_a_while()
    return machine  # type: ignore[no-any-return]


def _kept(machine: Any) -> bool:
    """Whether an earlier process has compiled this. Where Numba does not tell, yes: nothing is said then."""
    try:
        return os.path.exists(machine._cache._cache_file._index_path)
    except AttributeError:
        return True


def _digest(module: Any, kinds: tuple[type, ...]) -> str:
    """A digest of every file whose edits must lead to new machine code."""
    rooms = (*_ROOMS, lanes, *(_guests if module in _guests else ()))
    files = {__file__, _beside("registers.py"), *(room.__file__ for room in rooms)}
    files |= {getattr(sys.modules.get(kind.__module__), "__file__", None) for kind in kinds}
    total = hashlib.sha256(repr((module.__name__, [(kind.__module__, kind.__qualname__) for kind in kinds])).encode())
    for path in sorted(file for file in files if file is not None):
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def _beside(name: str) -> str:
    return os.path.join(os.path.dirname(__file__), name)


@functools.cache
def _can_keep(chosen: str) -> bool:
    """Whether machine code can be kept on disk: in the chosen folder, beside this file, in Numba's own, or nowhere."""
    places = [chosen] if chosen else [os.path.dirname(__file__), _user_folder()]
    return any(place and _writable(place) for place in places)


def _look_only(machine: Any) -> None:
    """Let a kernel find what someone else has kept in a folder that cannot be written to; what is not there is compiled
    and not kept. Numba has no door for this: where its rooms have changed, all is compiled."""
    with contextlib.suppress(ImportError, AttributeError, TypeError, RuntimeError, OSError):
        machine._cache = _looking()(machine.py_func)
    if not _kept(machine):
        _say_unkept_once()


@functools.cache
def _say_unkept_once() -> None:
    _say_unkept(UNKEPT)


@functools.cache
def _looking() -> Any:
    """Numba's cache, which never writes."""
    from numba.core import caching

    class Chosen(caching.UserProvidedCacheLocator):
        def ensure_cache_path(self) -> None: ...

    class InTree(caching.InTreeCacheLocator):
        def ensure_cache_path(self) -> None: ...

    class Found(caching.CompileResultCacheImpl):
        _locator_classes = [Chosen, InTree]  # noqa: RUF012  # as Numba has it

    class Looking(caching.FunctionCache):
        _impl_class = Found

        def save_overload(self, signature: Any, compiled: Any) -> None: ...

    return Looking


def _user_folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "numba")


def _writable(place: str) -> bool:
    try:
        os.makedirs(place, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False
