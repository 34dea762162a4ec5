"""Classes that become known while rows come: none, one, and then as many as there are."""

from typing import NamedTuple

from ..errors import DataError
from ..holding import slot
from ..one_vs_rest import HELD, REFUSED, OneVsRest
from ..state import State
from .labels import Labels, from_a_file, shown, together

# While one label is alone nobody knows whether it will be the first or the second. A rule of three classes sees it as
# both: its first slot takes the rows as 1, the others take them as 0.
ALONE = 3
AS_ONE, AS_ZERO = 0, 1


class Known(NamedTuple):
    """A rule, its state, and the labels of its classes as far as they are known."""

    rule: OneVsRest
    state: State
    classes: Labels

    @property
    def alone(self) -> bool:
        """Whether one label waits for another, first or second."""
        return len(self.classes) == 1 and self.rule.classes == ALONE

    def pair(self) -> tuple[OneVsRest, State]:
        """The rule and state to read: a label that is alone is the first of two."""
        return (self.rule, self.state) if not self.alone else _paired(self, 0)


def grown(known: Known, labels: Labels) -> Known:
    """The same when these labels are known, too. Neither is changed."""
    new = [label for label in labels.tolist() if label not in known.classes.tolist()]
    before = len(known.classes)
    if not new:
        return known
    if before == 0:
        return _first(known, labels)
    if before + len(new) > 2:
        raise DataError(
            f"the label{'s' * (len(new) > 1)} {shown(new)} came late: the first partial_fit knew of "
            f"{shown(known.classes)} only; name all labels there: partial_fit(X, y, classes=[...])"
        )
    if not known.alone:
        # Which is the first was said where the model was made.
        return known._replace(classes=from_a_file([*known.classes.tolist(), *new]))
    classes = together(known.classes, labels)
    return Known(*_paired(known, classes.tolist().index(known.classes.tolist()[0])), classes)


def _first(known: Known, classes: Labels) -> Known:
    """The first labels there are. No row has been used, some may have been refused."""
    rule = known.rule.with_classes(ALONE if len(classes) == 1 else len(classes))
    state = rule.init(known.rule.columns(known.state))
    state.counts[REFUSED] = known.state.counts[REFUSED]
    return Known(rule, state, classes)


def _paired(known: Known, number: int) -> tuple[OneVsRest, State]:
    """Two classes, of which the label that was alone has this number."""
    rule = known.rule.with_classes(2)
    state = rule.init(known.rule.columns(known.state))
    for name, array in slot(known.state, HELD, AS_ONE if number == 1 else AS_ZERO).items():
        state[HELD + name][0] = array
    state.counts[...] = known.state.counts
    state.tally[number] = known.state.tally[0]
    return rule, state
