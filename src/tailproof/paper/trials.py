"""Whole trials in one loop: rows are drawn a few at a time, and every candidate learns from them while they are near.

A trial's numbers depend on the seed and on its own number only, so trials may be shared out among threads at will.
Errors are Euclidean distances to the truth.
"""

from math import exp, sqrt
from typing import Any, NamedTuple

from .buckets import (
    Medians,
    Robin,
    begin_medians,
    begin_robin,
    median_away,
    middle_of_groups,
    settle_scores,
    take_buckets,
    take_turns,
)
from .draws import fill, fill_uniform, key_of
from .flocks import (
    Flocks,
    Shrunken,
    away,
    begin_shrunken,
    flock_of,
    gather,
    take_lasso,
    take_lines,
    take_locations,
    take_odds,
    take_ridge,
)

# The streams of random numbers of one trial.
ROWS, TARGETS = 0, 1
# Looks at the round-robin groups are taken in one of so many trials: each costs as much as many rows.
SELDOM = 8


class Course(NamedTuple):
    """What all candidates of a trial share: the laws, the truth, and room for the rows at hand."""

    seed: Any
    rows: int
    scored: int  # the first row that counts for sequential validation
    looks: Any  # rows after which errors are measured; the last is `rows`
    law: int
    law_numbers: Any
    noise: int
    noise_numbers: Any
    truth: Any  # (p,)
    start: Any  # (p,)
    radius: float  # of the ball about the truth, or 0
    values: Any  # (block p,)
    X: Any  # the same memory as (block, p)
    y: Any  # (block,)
    lengths: Any  # (block,)
    ones: Any  # (block,)


class Outcome(NamedTuple):
    """What a range of trials leaves behind."""

    errors: Any  # (trials, candidates)
    scores: Any  # (trials, candidates)
    paths: Any  # (looks, candidates) sums of errors over the trials


def draw_rows(course: Course, trial: int, t: int, rows: int) -> None:
    """Rows t, t + 1, ... of a trial, counted from 0."""
    columns = course.X.shape[1]
    values = course.values[: rows * columns]
    fill(course.law, course.law_numbers, values, key_of(course.seed, trial, ROWS), t * columns)


def draw_lines(course: Course, trial: int, t: int, rows: int) -> None:
    """Rows and their targets <x, truth> + noise."""
    draw_rows(course, trial, t, rows)
    fill(course.noise, course.noise_numbers, course.y[:rows], key_of(course.seed, trial, TARGETS), t)
    for i in range(rows):
        z, squared = along(course.X, i, course.truth)
        course.y[i] += z
        course.lengths[i] = sqrt(squared)


def draw_odds(course: Course, trial: int, t: int, rows: int) -> None:
    """Rows and their labels: 1 with the odds exp <x, truth>."""
    draw_rows(course, trial, t, rows)
    fill_uniform(course.y[:rows], key_of(course.seed, trial, TARGETS), t)
    for i in range(rows):
        z, squared = along(course.X, i, course.truth)
        course.y[i] = 1.0 if course.y[i] * (1.0 + exp(-z)) <= 1.0 else 0.0
        course.lengths[i] = sqrt(squared)


def along(X: Any, i: int, truth: Any) -> Any:
    """A row's product with the truth, and its squared length."""
    z, squared = 0.0, 0.0
    for j in range(truth.shape[0]):
        z += X[i, j] * truth[j]
        squared += X[i, j] * X[i, j]
    return z, squared


# ------------------------------------------------------------------------------------------------------- means


def mean_trials(
    course: Course, flocks: Flocks, medians: Medians, literal: Medians, robin: Robin, first: int, outcome: Outcome
) -> None:
    """Trials first, first + 1, ... of mean estimation, as many as `outcome` has room for."""
    robins = 1 if robin.sums.shape[0] > 0 else 0
    for trial in range(first, first + outcome.errors.shape[0]):
        begin_flocks(flocks, course.start)
        begin_medians(medians)
        begin_medians(literal)
        begin_robin(robin)
        t, look = 0, 0
        while t < course.rows:
            rows = min(course.X.shape[0], course.looks[look] - t)
            draw_rows(course, trial, t, rows)
            for g in range(flocks.delays.shape[0]):
                take_locations(flock_of(flocks, g), course.X, rows, t + 1, course.scored)
            if medians.steps.shape[0] > 0:
                take_buckets(medians, course.X, rows, t + 1, course.scored)
            if literal.steps.shape[0] > 0:
                take_buckets(literal, course.X, rows, t + 1, course.scored)
            if robins > 0:
                take_turns(robin, course.X, rows, t + 1)
            t += rows
            if t == course.looks[look]:
                errors = outcome.errors[trial - first]
                measure_means(course, flocks, medians, literal, errors)
                add_look(outcome.paths, look, errors[: errors.shape[0] - robins])
                if robins > 0 and (t == course.rows or trial % SELDOM == 0):
                    errors[errors.shape[0] - 1] = robin_away(robin, course.truth)
                if robins > 0 and trial % SELDOM == 0:
                    outcome.paths[look, errors.shape[0] - 1] += errors[errors.shape[0] - 1]
                look += 1
        settle_scores(medians)
        settle_scores(literal)
        write_scores(flocks, medians, literal, outcome.scores[trial - first])


def robin_away(robin: Robin, truth: Any) -> float:
    middle_of_groups(robin)
    total = 0.0
    for j in range(truth.shape[0]):
        total += (robin.theta[j] - truth[j]) * (robin.theta[j] - truth[j])
    return sqrt(total)


def measure_means(course: Course, flocks: Flocks, medians: Medians, literal: Medians, errors: Any) -> None:
    """The flocks' errors, then both kinds of medians of either reading."""
    at = measure_flocks(flocks, course.truth, errors, 0)
    at = measure_medians(medians, course.truth, errors, at)
    measure_medians(literal, course.truth, errors, at)


def measure_medians(medians: Medians, truth: Any, errors: Any, at: int) -> Any:
    for kind in range(2):
        for k in range(medians.steps.shape[0]):
            errors[at] = median_away(medians, kind, k, truth)
            at += 1
    return at


def write_scores(flocks: Flocks, medians: Medians, literal: Medians, scores: Any) -> None:
    at = write_flocks(flocks, scores, 0)
    at = write_medians(medians, scores, at)
    write_medians(literal, scores, at)


def write_medians(medians: Medians, scores: Any, at: int) -> Any:
    for kind in range(2):
        for k in range(medians.steps.shape[0]):
            scores[at] = medians.scores[kind, k]
            at += 1
    return at


# ------------------------------------------------------------------------------------------- linear regression


def linear_trials(
    course: Course, flocks: Flocks, huber: Flocks, ridge: Shrunken, lasso: Shrunken, first: int, outcome: Outcome
) -> None:
    """Trials of linear regression."""
    for trial in range(first, first + outcome.errors.shape[0]):
        begin_flocks(flocks, course.start)
        begin_flocks(huber, course.start)
        begin_shrunken(ridge, course.start)
        begin_shrunken(lasso, course.start)
        t, look = 0, 0
        while t < course.rows:
            rows = min(course.X.shape[0], course.looks[look] - t)
            draw_lines(course, trial, t, rows)
            for g in range(flocks.delays.shape[0]):
                take_lines(flock_of(flocks, g), course.X, course.y, course.lengths, rows, t + 1, course.scored)
            for g in range(huber.delays.shape[0]):
                take_lines(flock_of(huber, g), course.X, course.y, course.ones, rows, t + 1, course.scored)
            take_ridge(ridge, course.X, course.y, rows, t + 1, course.scored)
            take_lasso(lasso, course.X, course.y, rows, t + 1, course.scored)
            t += rows
            if t == course.looks[look]:
                errors = outcome.errors[trial - first]
                at = measure_flocks(flocks, course.truth, errors, 0)
                at = measure_flocks(huber, course.truth, errors, at)
                at = measure_shrunken(ridge, course.truth, errors, at)
                measure_shrunken(lasso, course.truth, errors, at)
                add_look(outcome.paths, look, errors)
                look += 1
        scores = outcome.scores[trial - first]
        at = write_flocks(flocks, scores, 0)
        at = write_flocks(huber, scores, at)
        at = write_shrunken(ridge, scores, at)
        write_shrunken(lasso, scores, at)


def begin_flocks(flocks: Flocks, start: Any) -> None:
    for g in range(flocks.delays.shape[0]):
        gather(flock_of(flocks, g), start)


def measure_flocks(flocks: Flocks, truth: Any, errors: Any, at: int) -> Any:
    """Those still together are as far from the truth as the last, which they share their place with."""
    last = flocks.levels.shape[0] - 1
    for g in range(flocks.delays.shape[0]):
        for k in range(last, -1, -1):
            alone = k == last or k < flocks.left[g, 0]
            errors[at + k] = away(flocks.theta[g], k, truth) if alone else errors[at + last]
        at += last + 1
    return at


def write_flocks(flocks: Flocks, scores: Any, at: int) -> Any:
    last = flocks.levels.shape[0] - 1
    for g in range(flocks.delays.shape[0]):
        for k in range(last + 1):
            scores[at + k] = flocks.scores[g, k if k < flocks.left[g, 0] else last]
        at += last + 1
    return at


def measure_shrunken(shrunken: Shrunken, truth: Any, errors: Any, at: int) -> Any:
    for k in range(shrunken.penalties.shape[0]):
        errors[at + k] = away(shrunken.theta, k, truth)
    return at + shrunken.penalties.shape[0]


def write_shrunken(shrunken: Shrunken, scores: Any, at: int) -> Any:
    for k in range(shrunken.penalties.shape[0]):
        scores[at + k] = shrunken.scores[k]
    return at + shrunken.penalties.shape[0]


def add_look(paths: Any, look: int, errors: Any) -> None:
    for k in range(errors.shape[0]):
        paths[look, k] += errors[k]


# ----------------------------------------------------------------------------------------- logistic regression


def logistic_trials(course: Course, flocks: Flocks, first: int, outcome: Outcome) -> None:
    """Trials of logistic regression."""
    for trial in range(first, first + outcome.errors.shape[0]):
        begin_flocks(flocks, course.start)
        t, look = 0, 0
        while t < course.rows:
            rows = min(course.X.shape[0], course.looks[look] - t)
            draw_odds(course, trial, t, rows)
            for g in range(flocks.delays.shape[0]):
                take_odds(
                    flock_of(flocks, g),
                    course.X,
                    course.y,
                    course.lengths,
                    course.truth,
                    course.radius,
                    rows,
                    t + 1,
                    course.scored,
                )
            t += rows
            if t == course.looks[look]:
                errors = outcome.errors[trial - first]
                measure_flocks(flocks, course.truth, errors, 0)
                add_look(outcome.paths, look, errors)
                look += 1
        write_flocks(flocks, outcome.scores[trial - first], 0)


# ------------------------------------------------------------------------------------------------ rows alone


def draw_trials(course: Course, first: int, X: Any) -> None:
    """The rows of whole trials side by side: trial first + k is the columns from k p on."""
    columns = course.X.shape[1]
    for k in range(X.shape[1] // columns):
        t = 0
        while t < course.rows:
            rows = min(course.X.shape[0], course.rows - t)
            draw_rows(course, first + k, t, rows)
            for i in range(rows):
                for j in range(columns):
                    X[t + i, k * columns + j] = course.X[i, j]
            t += rows


def draw_problem(course: Course, trial: int, odds: bool, X: Any, y: Any) -> None:
    """The rows and the targets of one trial of regression."""
    t = 0
    while t < course.rows:
        rows = min(course.X.shape[0], course.rows - t)
        if odds:
            draw_odds(course, trial, t, rows)
        else:
            draw_lines(course, trial, t, rows)
        for i in range(rows):
            y[t + i] = course.y[i]
            for j in range(course.X.shape[1]):
                X[t + i, j] = course.X[i, j]
        t += rows
