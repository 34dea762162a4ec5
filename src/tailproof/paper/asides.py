"""What the paper does not say, but its experiments show."""

from collections.abc import Iterator, Mapping
from typing import Any

from .judges import Missing, mean_of, panel_of, setting_named, tail_of
from .settings import Law, Setting
from .telling import figure, setting_of, spoken

Plain = Mapping[str, Any]


def asides(result: Plain) -> list[str]:
    """Sentences about this experiment, each with its numbers; those without are left out."""
    said: list[str] = []
    for tell in (_price, _start, _validation, _theorem, _ours, _oracle):
        try:
            said += tell(result)
        except Missing:
            continue
    return said


def _price(result: Plain) -> Iterator[str]:
    """What clipping costs where nothing is heavy."""
    if result["experiment"] != "intro":
        return
    for start in (0, 1):
        light = setting_named(result, f"Gaussian, theta1={start}")
        clipped, sgd = mean_of(light, "clipped-sgd"), mean_of(light, "sgd")
        yield (
            f"On Gaussian rows a level of 1.5 costs: from theta1={start} the mean error of clipped SGD is "
            f"{figure(clipped)}, that of SGD {figure(sgd)}."
        )


def _start(result: Plain) -> Iterator[str]:
    if result["experiment"] != "mean-main":
        return
    from_there = dict(panel_of(result, "start"))
    told = ", ".join(
        f"{figure(mean_of(from_there[x], 'clipped-sgd'))} from {words}"
        for x, words in ((1.0, "+1"), (0.0, "0"), (-1.0, "-1"))
        if x in from_there
    )
    yield (
        f"The start decides: the best mean error of clipped SGD is {told}. The rows are one-sided, "
        "clipping pulls the estimate below the truth, and what is left of a start at +1 cancels that."
    )


def _validation(result: Plain) -> Iterator[str]:
    best, chosen = (tail_of(result, f"clipped-sgd{ending}") for ending in ("", "-validated"))
    if chosen > 1.1 * best:
        yield (
            f"Validation has a tail of its own: with a level chosen in each trial Q.001 of clipped SGD is "
            f"{figure(chosen)}, with the best level {figure(best)}, since the score is a mean of heavy-tailed losses."
        )


def _theorem(result: Plain) -> Iterator[str]:
    """How far the experiment's delay is from the theorem's."""
    setting = setting_of(result["setting"])
    if result["experiment"] not in ("linear-main", "mean-main"):
        return
    made = {constants: _prescribed(setting, constants) for constants in ("paper", "sharp")}
    word = "vacuous" if all(said.vacuous for said in made.values()) else "not vacuous with our constants"
    yield (
        f"The theorem asks for gamma = {figure(made['paper'].delay)} as printed and {figure(made['sharp'].delay)} with "
        f"our constants (delta = .01), the experiment takes {setting.gamma:g}, and N is {setting.rows}: here the bound "
        f"is {word}."
    )


def _prescribed(setting: Setting, constants: str) -> Any:
    from .. import theory

    stated: dict[str, Any] = {"N": setting.rows, "delta": 0.01, "constants": constants}
    if setting.task == "mean":
        return theory.mean(trace=float(setting.columns), r0=setting.columns**0.5, **stated)
    kurtosis = kurtosis_of_pareto(setting.law)
    return theory.linear(
        covariance=[1.0] * setting.columns,
        sigma2=setting.sigma2,
        C4=kurtosis,
        independent=constants == "sharp",
        r0=1.0,
        **stated,
    )


def kurtosis_of_pareto(law: Law) -> float:
    """Of an index above 4."""
    b = law.index
    return 3.0 + 6.0 * (b**3 + b**2 - 6.0 * b - 2.0) / (b * (b - 3.0) * (b - 4.0))


def _ours(result: Plain) -> Iterator[str]:
    told = [
        f"{spoken(method)}: mean {figure(mean_of(result, method))}"
        for method in ("tailproof", "clipped-sgd-self-tuned", "round-robin-mom")
        if method in result["methods"]
    ]
    if told:
        yield "With nothing tuned and nothing known of the law: " + "; ".join(told) + "."


def _oracle(result: Plain) -> Iterator[str]:
    if (
        result["setting"]["task"] == "logistic"
        and result["experiment"] == "logistic"
        and "tailproof" in result["methods"]
    ):
        yield (
            "The descents start at .75 theta*, an error of .25, and stay in a ball about theta*: an oracle's help, "
            "which our defaults do without."
        )
