"""What is proven, what is sketched and what is only a good rule."""

from typing import NamedTuple


class Result(NamedTuple):
    """A statement, how sure it is, and the function that computes it."""

    name: str
    status: str  # "proven", "sketched", "heuristic" or "false"
    states: str
    where: str


RESULTS = (
    Result("the sharp theorem", "proven", "the paper's rate with factor 6.26 to 8.37, all t <= N", "theorem"),
    Result(
        "the sharp theorem on the edge of a domain", "proven", "the same with grad R(theta*) != 0", "theorem(push=)"
    ),
    Result("the any-time theorem", "proven", "no N, all t at once, log log t inflation", "theorem(anytime=True)"),
    Result("the band lemma", "proven", "levels within fixed multiples of the theorem's, at their price", "band"),
    Result("Theorem 1 as printed", "proven", "for an unconstrained theta*, by the sharp theorem", 'constants="paper"'),
    Result("Theorem 1 as printed, theta* held by a constraint", "false", "see the counterexample", "counterexample"),
    Result("the pilot", "proven", "a geometric median of means in place of r0", "pilot_size, median_of_means_bound"),
    Result("alpha and beta of regressions", "proven", "under the moments that they name", "linear, logistic"),
    Result("Table 1", "sketched", "leading orders without their constants", "table1"),
    Result("the rate in the effective dimension", "sketched", "Tr + s L in place of Tr L", "no function"),
    Result(
        "central limit of averaged clipped descents", "sketched", "clipping costs nothing in the limit", "no function"
    ),
    Result("SelfTuned levels", "heuristic", "in the band once enough rows are in; not proven jointly", "SelfTuned"),
    Result("steps that know no curvature", "heuristic", "measured only", "TunedSGD"),
)


def results(status: str | None = None) -> tuple[Result, ...]:
    """All results, or those of one status."""
    return tuple(result for result in RESULTS if status in (None, result.status))
