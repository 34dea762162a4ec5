"""What the paper says of each figure, as data; the verdict comes out of a run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from . import judges
from .judges import CONTROLLED, SIMILAR, Finding, Missing

Plain = Mapping[str, Any]

Judge = Callable[[Plain], Finding]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper about a figure, and who judges it."""

    place: str
    says: str
    judge: Judge
    note: str = ""  # how it is read
    because: str = ""  # known reasons, said where it does not hold


class Verdict(NamedTuple):
    """A claim, judged."""

    place: str
    says: str
    figure: str
    held: bool | None
    reason: str

    @property
    def word(self) -> str:
        return "cannot say" if self.held is None else "held" if self.held else "not held"


def verdicts(result: Plain) -> list[Verdict]:
    """Every claim of the paper about this experiment, judged."""
    return [_verdict(claim, result) for claim in CLAIMS.get(result["experiment"], ())]


def _verdict(claim: Claim, result: Plain) -> Verdict:
    try:
        found = claim.judge(result)
    except Missing as missing:
        found = Finding(f"these results hold no {missing.args[0]}", None)
    reason = "; ".join(filter(None, [claim.note, claim.because if found.held is False else ""]))
    return Verdict(claim.place, claim.says, found.figure, found.held, reason)


# --------------------------------------------------------------------------------------------------- the claims

START = (
    "the start at (1, .., 1) flatters clipped SGD: what is left of it at the end cancels the bias of clipping, so that "
    "the smallest level looks best; see the start panel"
)
SQUARED = "it holds in squared loss, or with few rows, not in the l2 loss that the paper names as its metric"
TRIALS = (
    "the score is a mean of heavy-tailed losses: a choice in each trial has a far worse tail than the best candidate"
)
STEP = "their step c/k is in units of the data, so that a grid which suits one scale misses another"
DENSE_LAW = (
    "the experiment takes gamma = 256; the theorem's own delay exceeds N by far, and its bound promises nothing here"
)


def _means(figure_name: str) -> Iterator[Claim]:
    yield Claim(
        figure_name,
        "clipped SGD outperforms all baselines in expected and in tail performance (best candidate of each)",
        partial(judges.outperforms, ""),
    )
    yield Claim(
        figure_name,
        "the same with hyper-parameters by sequential validation in each trial, which is how the paper chooses",
        partial(judges.outperforms, "-validated"),
        because=TRIALS,
    )


def _fits(figure_name: str) -> Iterator[Claim]:
    yield Claim(
        figure_name,
        "clipped SGD outperforms the other baselines (best candidate of each)",
        partial(judges.outperforms, ""),
    )
    yield Claim(
        figure_name,
        "the same with hyper-parameters by sequential validation in each trial",
        partial(judges.outperforms, "-validated"),
        because=TRIALS,
    )


def _of_levels(figure_name: str, because: str = "") -> Iterator[Claim]:
    yield Claim(figure_name, "clipped SGD performs better across different lambda", judges.better_at_levels)
    yield Claim(figure_name, "with too small a level the final error is high", judges.too_small, because=because)
    yield Claim(figure_name, "with a very large level it performs like SGD", judges.too_large)


FIGURE_2 = "Figure 2, section 6.1"
FIGURE_3 = "Figure 3, section 6.2"
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "intro": (
        Claim(
            "Figure 1",
            "the deviation of SGD is much worse under heavy tails than under sub-Gaussian ones",
            judges.deviation,
        ),
        Claim(
            "Figure 1",
            "clipped SGD keeps its tail in check under heavy tails",
            partial(judges.tail_under, "Pareto 2.1"),
            "the start is not printed: both are shown",
        ),
    ),
    "mean-main": (
        Claim(
            f"{FIGURE_2}, panel 1",
            "the expected error of clipped SGD converges as O(1/N)",
            judges.rate,
            "meant is the squared error",
        ),
        Claim(
            f"{FIGURE_2}, panel 2",
            "the 99.9 % quantile loss of SGD is over 10 times worse than its expected error",
            judges.ten_times,
            SQUARED,
        ),
        Claim(
            f"{FIGURE_2}, panel 2",
            "the tail performance of clipped SGD is similar to its expected one",
            partial(judges.tame, "clipped-sgd", SIMILAR),
        ),
        Claim(
            f"{FIGURE_2}, panel 2",
            "streaming medians of means have a much worse expected performance",
            judges.medians_worse,
            STEP,
        ),
        Claim(f"{FIGURE_2}, panel 2", "and their tail performance is not well controlled", judges.medians_wild, STEP),
        *_of_levels(f"{FIGURE_2}, panel 3", START),
        Claim(
            f"{FIGURE_2}, panel 4 (commented out)",
            "clipped and plain SGD perform alike from all starting points",
            judges.starts,
            because=START,
        ),
    ),
    **{f"mean-p20-n{n}": tuple(_means("Figure 4, appendix")) for n in (100, 500, 1000)},
    "linear-main": (
        *_fits(f"{FIGURE_3}, panels 1 and 2"),
        Claim(FIGURE_3, "the selection of hyper-parameters yields gamma = 256", judges.delay_chosen, DENSE_LAW),
        Claim(f"{FIGURE_3}, panel 2", "Q_delta is linear in sqrt(log2(1/delta))", judges.straight),
        *_of_levels(f"{FIGURE_3}, panel 3"),
        Claim(
            f"{FIGURE_3}, panel 4",
            "gamma must be large enough, or descents diverge; baselines as well",
            judges.delay_needed,
        ),
        Claim(
            f"{FIGURE_3}, panel 5",
            "clipped SGD is best across noise levels sigma^2",
            partial(judges.best_along, "sigma2"),
        ),
        Claim(f"{FIGURE_3}, panel 6", "clipped SGD is best across dimensions p", partial(judges.best_along, "p")),
    ),
    **{f"linear-p20-n{n}": tuple(_fits("Figure 5, appendix")) for n in (100, 500, 1000)},
    **{
        f"sparse-p20-n{n}": (
            Claim(
                "Figure 6, appendix",
                "lasso is better than in the dense setting, but worse than clipped SGD",
                judges.lasso,
            ),
            *_fits("Figure 6, appendix"),
        )
        for n in (500, 1000)
    },
    "logistic": (
        Claim("Figure 7, panel 1", "gamma = 2000 yields the best performance of SGD", judges.best_delay),
        Claim("Figure 7, panel 2", "lambda = .5 clearly outperforms SGD", judges.half_wins),
        Claim("Figure 7, panel 3", "the tail performance of lambda = .5 is the best", judges.half_tail),
        Claim(
            "Figure 7, panel 3",
            "the tail of SGD is well controlled in logistic regression",
            partial(judges.tame, "sgd", CONTROLLED),
        ),
    ),
}
