"""`--jobs` on the command line."""

from collections.abc import Callable

from .conftest import Command


def test_the_answer_is_the_same_for_any_number(command: Command, trips: str) -> None:
    for verb in (["mean"], ["regress", "--target", "duration"], ["classify", "--target", "kind"]):
        said = {command(*verb, trips, "--jobs", jobs, "--json").out for jobs in "123"}
        assert len(said) == 1
        assert '"rows": 300' in said.pop()


def test_what_depends_on_the_order_is_refused(refused: Callable[..., str], trips: str) -> None:
    said = refused("mean", trips, "--jobs", "2", "--method", "clipped-sgd", code=2)
    assert said == "--jobs needs --method sketch: what clipped-sgd learns depends on the order of the rows"
    said = refused("regress", trips, "--target", "duration", "--jobs", "2", "--solver", "sgd", code=2)
    assert said == "--jobs needs --solver gram: what sgd learns depends on the order of the rows"


def test_no_number_is_refused(command: Command, trips: str) -> None:
    for wrong in ("0", "-1", "many", "2.5", "257"):
        said = command("mean", trips, "--jobs", wrong)
        assert said.code == 2
        assert f"the number of cores is a whole number from 1 to 256, not {wrong}" in said.err or wrong == "-1"


def test_stdin_is_refused(refused: Callable[..., str]) -> None:
    said = refused("mean", "-", "--format", "csv", "--jobs", "2")
    assert said == "stdin is a stream, which cannot be cut into parts for --jobs: leave that out, or save it to a file"
