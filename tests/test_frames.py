"""Frames of several libraries, and streams of record batches, handed to models."""

import resource
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tailproof import DataError, LinearRegression, LogisticRegression, Mean
from tailproof.blocks.rows import rows_per_block

duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

NAMES = ["a", "b", "c"]
ROWS = np.random.default_rng(3).standard_t(3, (300, 3)) * [1.0, 50.0, 1e-3]
Y = ROWS @ [1.0, 0.1, 500.0] + 3.0
WORD = np.where(3.0 + 9.0 * np.cos(np.arange(300)) < Y, "yes", "no")


class Capsule:
    """What only speaks Arrow's language."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def table(**more: Any) -> Any:
    return pa.table({**dict(zip(NAMES, ROWS.T, strict=True)), **more})


def relation(made: Any) -> Any:
    return duckdb.from_arrow(made)


HELD: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda made: made.to_pandas(),
    "pandas of Arrow": lambda made: made.to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas with an index": lambda made: made.to_pandas().set_index(np.arange(len(made))[::-1] * 7),
    "polars": polars.from_arrow,
    "table": lambda made: made,
    "chunked table": lambda made: pa.Table.from_batches(made.to_batches(max_chunksize=7), made.schema),
}
STREAMS: dict[str, Callable[[Any], Any]] = {
    "batch": lambda made: pa.record_batch([column.combine_chunks() for column in made.columns], made.schema.names),
    "reader": lambda made: made.to_reader(max_chunksize=11),
    "capsule": Capsule,
    "lazy polars": lambda made: polars.from_arrow(made).lazy(),
    "duckdb": relation,
}
KINDS = HELD | STREAMS


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return KINDS[request.param]


@pytest.fixture(params=HELD)
def held(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return HELD[request.param]


@pytest.fixture(params=STREAMS)
def stream(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return STREAMS[request.param]


class TestTakingIn:
    def test_the_rows_are_those_of_the_array(self, kind: Callable[[Any], Any]) -> None:
        model = Mean().fit(kind(table()))
        assert model.state_.same_bits(Mean().fit(ROWS).state_)
        assert model.feature_names_in_.tolist() == NAMES
        assert [column.name for column in model.estimate().columns] == NAMES

    def test_a_target_may_be_a_column(self, kind: Callable[[Any], Any]) -> None:
        model = LinearRegression().fit(kind(table(y=Y)), y="y")
        assert model.state_.same_bits(LinearRegression().fit(ROWS, Y).state_)
        assert model.feature_names_in_.tolist() == NAMES
        assert model.estimate().target == "y"

    def test_labels_may_be_a_column(self, kind: Callable[[Any], Any]) -> None:
        model = LogisticRegression().fit(kind(table(tip=WORD)), y="tip")
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.state_.same_bits(LogisticRegression().fit(ROWS, WORD).state_)

    def test_a_target_may_be_an_array_beside_a_frame(self, held: Callable[[Any], Any]) -> None:
        model = LinearRegression().fit(held(table()), Y)
        assert model.state_.same_bits(LinearRegression().fit(ROWS, Y).state_)

    @pytest.mark.parametrize("labels", [pandas.Series(WORD), polars.Series(WORD), pa.chunked_array([WORD])], ids=type)
    def test_labels_may_be_a_series(self, labels: Any) -> None:
        model = LogisticRegression().fit(polars.from_arrow(table()), labels)
        assert model.state_.same_bits(LogisticRegression().fit(ROWS, WORD).state_)

    def test_in_parts_is_at_once(self, kind: Callable[[Any], Any]) -> None:
        whole = Mean().fit(ROWS)
        model = Mean()
        for begin in (0, 100, 200):
            model.partial_fit(kind(table().slice(begin, 100)))
        assert model.state_.same_bits(whole.state_)

    def test_predictions_are_those_of_the_array(self, kind: Callable[[Any], Any]) -> None:
        model = LinearRegression().fit(kind(table(y=Y)), y="y")
        assert np.array_equal(model.predict(kind(table())), LinearRegression().fit(ROWS, Y).predict(ROWS))
        assert np.array_equal(model.predict(kind(table(y=Y).select(["c", "y", "a", "b"]))), model.predict(table()))

    def test_many_blocks_and_odd_batches_give_the_same_bits(self) -> None:
        rows = np.random.default_rng(4).standard_normal((3 * rows_per_block(2) + 5, 2))
        made = pa.table({"a": rows[:, 0], "b": rows[:, 1]})
        batches = [made.slice(0, 3), made.slice(3, 0), made.slice(3)]
        reader = pa.RecordBatchReader.from_batches(made.schema, [b for part in batches for b in part.to_batches()])
        whole = Mean().fit(rows).state_
        for handed in (reader, made, made.to_pandas(), polars.from_arrow(made)):
            assert Mean().fit(handed).state_.same_bits(whole)


DICTIONARY = pa.array(["x", "y", "x"]).dictionary_encode()
COLUMNS: dict[str, Any] = {
    "integer": pa.array([5, -3, 2, 9], pa.int8()),
    "unsigned": pa.array([5, 3, 2, 9], pa.uint64()),
    "nullable": pa.array([5, None, 2, 9], pa.int64()),
    "half": pa.array(np.array([1.5, 2.0, 3.0, 4.0], np.float16)),
    "single": pa.array([0.5, 1.0, 2.0, 9.0], pa.float32()),
    "truth": pa.array([True, False, True, True]),
    "nullable truth": pa.array([True, None, False, True]),
    "decimal": pa.array([Decimal("0.1"), Decimal("2.25"), None, Decimal("7.5")]),
    "nothing": pa.nulls(4),
}

OTHERS: dict[str, Any] = {
    "text": (pa.array(["x", "y", None]), r"'b', 'z': text, not numbers; .* OneHotEncoder"),
    "numbers in text": (pa.array(["1", "2", "3"]), r"'b', 'z': text, not numbers"),
    "categories": (
        pa.array(["x", "y", "x"]).dictionary_encode(),
        r"'b', 'z': (categories|text), not numbers; .*One",
    ),
    "days": (pa.array([1, 2, 3], pa.date32()), r"'b', 'z': times, not numbers; .* days since the first"),
    "times": (pa.array([1, 2, 3], pa.timestamp("us", "UTC")), r"'b', 'z': times, not numbers"),
    "durations": (pa.array([1, 2, 3], pa.duration("us")), r"'b', 'z': times, not numbers"),
    "lists": (pa.array([[1], [2], []]), r"'b', 'z': .*; leave such columns out"),
}


class TestTypes:
    @pytest.mark.parametrize("name", COLUMNS)
    def test_numbers_of_any_kind_are_read_and_null_is_missing(self, kind: Callable[[Any], Any], name: str) -> None:
        column = COLUMNS[name]
        if kind is relation and name == "half":
            pytest.skip("DuckDB knows no such numbers")
        model = Mean().fit(kind(pa.table({"a": column})))
        expected = [float(value) for value in column.to_pylist() if value is not None]
        assert (model.n_samples_seen_, model.n_samples_refused_) == (len(expected), 4 - len(expected))
        if expected:
            assert model.plain_mean_[0] == pytest.approx(np.mean(expected), rel=1e-14)

    def test_nan_is_missing_and_infinity_too(self, kind: Callable[[Any], Any]) -> None:
        model = Mean().fit(kind(pa.table({"a": [1.0, float("nan"), None, float("inf"), 2.0]})))
        assert (model.n_samples_seen_, model.n_samples_refused_) == (2, 3)

    @pytest.mark.parametrize("name", OTHERS)
    def test_others_are_refused_by_name(self, kind: Callable[[Any], Any], name: str) -> None:
        column, words = OTHERS[name]
        with pytest.raises(DataError, match=words):
            LinearRegression().fit(kind(pa.table({"a": [1, 0, 1], "b": column, "z": column})), y="a")

    def test_categories_of_numbers_are_categories(self) -> None:
        frame = pandas.DataFrame({"a": pandas.Categorical([1, 2, 3]), "b": 1.0})
        with pytest.raises(DataError, match="'a': categories, not numbers"):
            Mean().fit(frame)

    def test_values_of_several_kinds_are_refused_by_name(self) -> None:
        frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [1, "x"]})
        with pytest.raises(DataError, match="'b': values of several kinds, or"):
            Mean().fit(frame)
        late = pandas.DataFrame({"a": np.arange(90_000.0), "b": np.array([None] * 89_999 + ["x"], dtype=object)})
        with pytest.raises(DataError, match="'b': text, not numbers"):
            Mean().fit(late)

    def test_decimals_and_numbers_as_objects(self) -> None:
        frame = pandas.DataFrame(
            {"a": [Decimal("1.5"), None, Decimal("10.25")], "b": np.array([1, 2, 3], dtype=object)}
        )
        model = Mean().fit(frame)
        assert (model.n_samples_seen_, model.mean_.tolist()) == (2, [5.875, 2.0])


class TestNames:
    def test_other_columns_are_refused_by_name(self, kind: Callable[[Any], Any]) -> None:
        model = Mean().fit(kind(table()))
        for there, words in (
            (["b", "a", "c"], "same order as they were in fit"),
            (["a", "b"], r"yet now missing:\n- c"),
            (["a", "b", "c", "y"], r"unseen at fit time:\n- y"),
        ):
            with pytest.raises(ValueError, match=words):
                model.partial_fit(kind(table(y=Y).select(there)))
        assert model.n_samples_seen_ == 300

    def test_regressions_match_them_by_name(self, kind: Callable[[Any], Any]) -> None:
        model = LinearRegression().fit(kind(table(y=Y)), y="y")
        model.partial_fit(kind(table(y=Y, more=WORD).select(["more", "y", "c", "b", "a"])), y="y")
        assert model.state_.same_bits(LinearRegression().fit(np.vstack([ROWS, ROWS]), np.append(Y, Y)).state_)
        with pytest.raises(DataError, match="X lacks 'b', which this model was fitted on; it has 'a', 'c'"):
            model.predict(kind(table().select(["a", "c"])))

    @pytest.mark.filterwarnings("error")
    def test_names_that_come_and_go_are_warned_of(self) -> None:
        with pytest.warns(UserWarning, match="X has feature names, but Mean was fitted without"):
            Mean().fit(ROWS).partial_fit(table())
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            Mean().fit(table()).partial_fit(ROWS)

    def test_numbers_for_names_are_no_names(self) -> None:
        model = Mean().fit(pandas.DataFrame(ROWS))
        assert not hasattr(model, "feature_names_in_")
        with pytest.raises(TypeError, match="string names"):
            Mean().fit(pandas.DataFrame(ROWS, columns=["a", 1, 2]))

    def test_a_target_that_is_not_there(self, kind: Callable[[Any], Any]) -> None:
        with pytest.raises(DataError, match="X has no column 'aa'; did you mean 'a'"):
            LinearRegression().fit(kind(table()), y="aa")
        with pytest.raises(DataError, match="X has no columns besides 'a'"):
            LinearRegression().fit(kind(table().select(["a"])), y="a")
        with pytest.raises(DataError, match="y='y' names a column, but X has no names"):
            LinearRegression().fit(ROWS, y="y")

    def test_a_target_of_text(self, kind: Callable[[Any], Any]) -> None:
        with pytest.raises(DataError, match=r"y holds something that is not a number .* LogisticRegression"):
            LinearRegression().fit(kind(table(y=WORD)), y="y")


class TestStreams:
    def test_a_target_comes_with_its_rows(self, stream: Callable[[Any], Any]) -> None:
        with pytest.raises(DataError, match=r'come with all that belongs to them: .* fit\(stream, y="name"\)'):
            LinearRegression().fit(stream(table()), Y)

    def test_is_read_once(self) -> None:
        reader = table().to_reader()
        Mean().fit(reader)
        with pytest.raises(DataError, match=r"X holds no rows: .*; a stream can be read only once"):
            Mean().fit(reader)

    def test_without_rows(self, kind: Callable[[Any], Any]) -> None:
        with pytest.raises(DataError, match="X holds no rows"):
            Mean().fit(kind(table().slice(0, 0)))

    def test_that_breaks_off_leaves_the_model_as_it_was(self) -> None:
        def batches() -> Iterator[Any]:
            yield from table(y=Y).to_batches(max_chunksize=50)
            raise OSError("the line is dead")

        model = LinearRegression().fit(table(y=Y), y="y")
        seen = model.state_.copy()
        with pytest.raises(DataError, match=r"the stream broke off after 300 rows: .*the line is dead"):
            model.partial_fit(pa.RecordBatchReader.from_batches(table(y=Y).schema, batches()), y="y")
        assert model.state_.same_bits(seen)
        assert model.partial_fit(ROWS, Y).n_samples_seen_ == 600
        with pytest.raises(DataError, match="broke off"):
            model.fit(pa.RecordBatchReader.from_batches(table(y=Y).schema, batches()), y="y")
        assert not hasattr(model, "state_")

    def test_labels_that_come_late(self) -> None:
        words = np.array(["a", "b"] * 100 + ["c"] * 100)
        rows = pa.RecordBatchReader.from_batches(table(y=words).schema, table(y=words).to_batches(max_chunksize=200))
        with pytest.raises(DataError, match=r"'c' came late.*partial_fit\(X, y, classes=\[...\]\)"):
            LogisticRegression().fit(rows, y="y")
        again = pa.RecordBatchReader.from_batches(table(y=words).schema, table(y=words).to_batches(max_chunksize=200))
        model = LogisticRegression().partial_fit(again, y="y", classes=["a", "b", "c"])
        assert model.n_samples_seen_ == 300

    @pytest.mark.parametrize("kind", ["reader", "duckdb", "lazy polars"])
    def test_memory_is_bounded(self, kind: str, tmp_path: Any) -> None:
        count = 12_000_000
        plan = f"select range::double as a, random() as b, range * 3 as y from range({count})"
        if kind == "duckdb":
            X = duckdb.sql(plan)
        elif kind == "reader":
            batch = pa.record_batch({name: np.arange(50_000.0) for name in "aby"})
            X = pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(count // 50_000)))
        else:
            path = str(tmp_path / "rows.parquet")
            duckdb.sql(f"copy ({plan}) to '{path}' (row_group_size 50000)")
            X = polars.scan_parquet(path)
        Mean().fit(ROWS)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = Mean().fit(X)
        # Held whole they would take 288 MB.
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 160_000
        assert model.n_samples_seen_ == count


def test_infinity_is_refused_by_name(held: Callable[[Any], Any]) -> None:
    model = LinearRegression().fit(held(table(y=Y)), y="y")
    wild = ROWS.copy()
    wild[5, 1], wild[7, 0] = np.inf, np.nan
    with pytest.raises(DataError, match="X holds infinity in column 'b'"):
        model.predict(held(pa.table(dict(zip(NAMES, wild.T, strict=True)))))
    wild[5, 1] = 0.0
    assert np.flatnonzero(np.isnan(model.predict(held(pa.table(dict(zip(NAMES, wild.T, strict=True))))))) == [7]


def test_sparse_columns_of_pandas_are_numbers() -> None:
    frame = pandas.DataFrame({"a": pandas.arrays.SparseArray([0.0, 0.0, 1.5]), "b": [1, 2, 3]})
    assert Mean().fit(frame).mean_.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("dtype", [">f8", ">i4", np.longdouble, np.float16], ids=str)
def test_numbers_of_rare_kinds(dtype: Any) -> None:
    frame = pandas.DataFrame({"a": np.array([1, 2, 6], dtype)})
    assert Mean().fit(frame).mean_.tolist() == [3.0]


def test_months_of_pandas_are_times() -> None:
    with pytest.raises(DataError, match="'a': times, not numbers"):
        Mean().fit(pandas.DataFrame({"a": pandas.period_range("2024", periods=3, freq="M")}))


def test_columns_of_one_name_are_refused() -> None:
    twice = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], ["a", "a"])
    for handed in (twice, twice.to_reader(), Capsule(twice)):
        with pytest.raises(DataError, match="X: column 'a' occurs more than once"):
            Mean().fit(handed)


def test_a_plan_that_fails_is_told_in_a_line() -> None:
    late = "select (case when range = 90000 then 'x' else '1' end)::integer as a from range(100000)"
    plan = polars.LazyFrame({"a": ["1", "x"]}).select(polars.col("a").cast(polars.Int64))
    model = Mean().fit(table().select(["a"]))
    for broken in (duckdb.sql(late), plan):
        with pytest.raises(DataError, match=r"^the stream broke off after [\d,]+ rows: .*onver[^\n]*$"):
            model.partial_fit(broken)
    assert model.n_samples_seen_ == 300


def test_wide_frames_are_read_in_blocks() -> None:
    rows = np.random.default_rng(1).standard_normal((900, 700))
    names = [f"c{j}" for j in range(700)]
    whole = Mean().fit(rows).state_
    for handed in (pandas.DataFrame(rows, columns=names), polars.DataFrame(rows, schema=names)):
        assert Mean().fit(handed).state_.same_bits(whole)


def test_an_old_polars_that_hides_errors_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polars, "__version__", "1.36.1")
    with pytest.raises(DataError, match=r"polars 1.36.1 hides what goes wrong .* use polars 1.37 or later, or collect"):
        Mean().fit(polars.LazyFrame({"a": [1.0]}))
