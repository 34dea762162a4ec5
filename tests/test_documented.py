"""Every public name, method and property has a docstring and is typed in full; whatever `__all__` holds."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import tailproof

# Inherited from the standard library or scikit-learn and documented there.
OURS = "tailproof"


def public() -> Iterator[tuple[str, Any]]:
    """All public names, those of public modules too, each once."""
    for name in tailproof.__all__:
        found = getattr(tailproof, name)
        yield name, found
        if isinstance(found, ModuleType):
            yield from ((f"{name}.{inner}", getattr(found, inner)) for inner in of_module(found))


def of_module(module: ModuleType) -> list[str]:
    """What a module says is public; else what was made in it."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    made = {name for name, found in vars(module).items() if getattr(found, "__module__", None) == module.__name__}
    return sorted(name for name in made if not name.startswith("_"))


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that we have written, inherited ones too."""
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        if not name.startswith("_") and owner is not None and owner.__module__.startswith(OURS):
            yield name, vars(owner)[name]


def functions(found: Any) -> Any:
    """The function behind a method, property or cached property, or None."""
    for name in ("fget", "func", "__func__"):
        if hasattr(found, name):
            return getattr(found, name)
    return found if inspect.isfunction(found) else None


def callables() -> Iterator[tuple[str, Any, bool]]:
    """Functions, methods and properties with their names, and whether they have a self or a cls."""
    for name, found in public():
        if inspect.isclass(found):
            for inner, member in members(found):
                if (function := functions(member)) is not None:
                    yield f"{name}.{inner}", function, not isinstance(member, staticmethod)
        elif inspect.isfunction(found):
            yield name, found, False


def test_every_public_name_has_a_docstring():
    told = [(name, found) for name, found in public() if callable(found) or isinstance(found, ModuleType)]
    assert [name for name, found in told if not own_docstring(found)] == []


def own_docstring(found: Any) -> str | None:
    """A class's own, not the one that a NamedTuple or a dataclass makes up."""
    words = found.__doc__
    return None if words is None or words.startswith(f"{getattr(found, '__name__', '')}(") else words


def test_every_public_method_and_property_has_a_docstring():
    assert sorted({name for name, function, _ in callables() if not inspect.getdoc(function)}) == []


def test_every_public_function_is_typed_in_full():
    untyped = []
    for name, function, bound in callables():
        try:
            said = inspect.signature(function)
        except ValueError:
            continue
        parameters = list(said.parameters.values())[bound:]
        if said.return_annotation is said.empty or any(one.annotation is one.empty for one in parameters):
            untyped.append(name)
    assert untyped == []


@pytest.mark.parametrize("name", tailproof.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(tailproof, name) is not None
