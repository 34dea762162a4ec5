"""Text as indicator columns: those of the first rows, and those of a model that predicts."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import read_all, resumes
from tables import FORMATS, written

from tailproof import compiled
from tailproof.blocks import open_source
from tailproof.blocks.position import is_sound
from tailproof.categories import LONGEST, MOST_LEVELS, are_features, feature_columns, feature_names

nan = np.nan
WORDS = ["oslo", "bergen", "oslo", None, "oslo", "bergen", "narvik"] * 5
ROWS = [[nan, nan, nan] if word is None else [word == "bergen", word == "narvik", 0] for word in WORDS]
X = [float(row) for row in range(len(WORDS))]
NAMES = ["city=bergen", "city=narvik", "city=(other)"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, data: str) -> str:
    Path(name).write_text(data)
    return name


class TestLevels:
    @pytest.mark.parametrize("format", FORMATS)
    @pytest.mark.parametrize("awake", [False, True], ids=["plain", "machine code"])
    def test_the_most_frequent_is_the_baseline(self, format, awake, monkeypatch):
        monkeypatch.setattr(compiled, "awake", lambda *_: awake)
        name = written(format, {"x": X, "city": WORDS, "z": X, "y": X})
        found = resumes([name], target="y", one_hot=True, batch_rows=4)
        assert found.names == ["x", *NAMES, "z"]
        assert found.levels == {"city": ["oslo", "bergen", "narvik"]}
        np.testing.assert_array_equal(found.rows, np.column_stack([X, ROWS, X]))
        assert [bad for block in found.blocks for bad in block.unfit] == [word is None for word in WORDS]
        alone = resumes([name], target="y", features=["city"], one_hot=True, batch_rows=4)
        np.testing.assert_array_equal(alone.rows, ROWS)

    @pytest.mark.parametrize("format", FORMATS)
    def test_with_labels(self, format, monkeypatch):
        """From the middle of a file the same indicators and the same codes follow."""
        monkeypatch.setattr("tailproof.blocks.opening.MOST_SCOUTED", 5)
        monkeypatch.setattr("tailproof.blocks.opening.FEWEST_SCOUTED", 5)
        labels = ["b"] * 6 + ["a"] * 20 + ["c"] * 9
        names = [written(format, {"city": WORDS, "y": labels, "x": X}, name) for name in ("a", "b")]
        found = resumes(names, target="y", target_kind="label", one_hot=True, batch_rows=4)
        assert (found.labels, found.levels) == (["b", "a"], {"city": ["oslo", "bergen"]})
        assert found.names == ["city=bergen", "city=(other)", "x"]
        expected = [[nan, nan] if word is None else [word == "bergen", word == "narvik"] for word in WORDS]
        np.testing.assert_array_equal(found.rows[:35], np.column_stack([expected, X]))
        np.testing.assert_array_equal(found.targets, ([0] * 6 + [1] * 20 + [nan] * 9) * 2)

    def test_a_category_is_text_even_where_it_holds_numbers(self):
        words, codes = pa.array(["b", "a", "b"]).dictionary_encode(), pa.array([7, 7, 8]).dictionary_encode()
        name = written("arrow", {"w": words, "c": codes, "y": [1, 2, 3]})
        found = read_all([name], target="y", one_hot=True)
        assert found.names == ["w=a", "w=(other)", "c=8", "c=(other)"]
        assert found.rows.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
    def test_every_kind_of_text(self, kind):
        pq.write_table(pa.table({"w": pa.array(["b", "a", "b"]).cast(kind), "y": [1, 2, 3]}), "a.parquet")
        assert read_all(["a.parquet"], target="y", one_hot=True).rows.tolist() == [[0, 0], [1, 0], [0, 0]]

    def test_truths_are_numbers(self):
        found = read_all([write("a.csv", "b,w,y\ntrue,u,1\nfalse,v,2\n")], target="y", one_hot=True)
        assert found.names == ["b", "w=v", "w=(other)"]
        assert found.rows.tolist() == [[1, 0, 0], [0, 1, 0]]

    def test_a_level_that_is_called_as_all_others_is_one_of_them(self):
        found = read_all([write("a.csv", "w,y\n(other),1\n(other),1\nu,1\n")], target="y", one_hot=True)
        assert (found.names, found.rows.tolist()) == (["w=(other)"], [[1], [1], [0]])

    def test_text_that_cannot_be_columns(self, refused):
        many = "".join(f"{number},w{number}\n" for number in range(MOST_LEVELS + 1))
        sentence = refused([write("a.csv", "y,who\n" + many)], target="y", one_hot=True)
        assert "a.csv: column 'who' holds 101 different texts in its first rows, more than the 100" in sentence
        assert "leave it out with --features, or group its values" in sentence
        prose = write("b.csv", "y,who\n1," + "w" * (LONGEST + 1) + "\n")
        assert "column 'who' holds texts of more than 1,000 characters" in refused([prose], target="y", one_hot=True)
        same = write("c.csv", "y,w,w=b\n1,a,2\n1,a,2\n1,b,2\n")
        assert "column 'w=b' occurs more than once" in refused([same], target="y", one_hot=True)


class TestWithoutOneHot:
    def test_text_is_left_out_or_refused_with_a_hint(self, refused):
        name = write("a.csv", "y,x,city\n1,2,oslo\n")
        with open_source([name], target="y") as source:
            assert (source.names, source.skipped) == (["x"], [("city", "text")])
        sentence = refused([name], target="y", features=["x", "city"])
        hint = "turn it into indicator columns with --one-hot, or leave it out"
        assert sentence == f"a.csv: column 'city' holds text, not numbers; {hint}"
        assert "--one-hot" not in refused([name], columns=["city"])
        assert "--one-hot" in refused([write("b.csv", "y,city\n1,oslo\n")], target="y")

    def test_a_category_of_numbers_is_a_number(self):
        name = written("arrow", {"c": pa.array([7, 8]).dictionary_encode(), "y": [1, 2]})
        assert read_all([name], target="y").rows.tolist() == [[7], [8]]


def test_going_on_with_or_without_indicator_columns(refused):
    name = written("csv", {"city": WORDS, "x": X, "y": X})
    position = read_all([name], target="y", one_hot=True, batch_rows=4).blocks[0].position
    assert "made with --one-hot" in refused([name], target="y", position=position)
    other = {"city": ["bergen", "oslo"]}
    assert "made with other levels" in refused([name], target="y", levels=other, position=position)
    position = read_all([name], target="y", batch_rows=4).blocks[0].position
    assert "made without --one-hot" in refused([name], target="y", one_hot=True, position=position)


class TestPredicting:
    """A source without a target, with the features and the levels of a model."""

    levels = {"city": ["oslo", "bergen", "narvik"]}  # noqa: RUF012
    features = ["x", *NAMES]  # noqa: RUF012

    @pytest.mark.parametrize("format", FORMATS)
    def test_all_rows_stay_in_their_places(self, format):
        x = [None if row % 11 == 4 else row for row in range(35)]
        columns = {"more": ["text"] * 35, "city": [*WORDS[:-1], "tromso"], "x": x, "other": X}
        found = read_all([written(format, columns)], features=self.features, levels=self.levels, batch_rows=4)
        assert found.names == self.features
        np.testing.assert_array_equal(found.rows[:, 0], [nan if one is None else one for one in x])
        np.testing.assert_array_equal(found.rows[:, 1:], [*ROWS[:-1], [0, 0, 1]])
        unfit = np.concatenate([block.unfit for block in found.blocks])
        np.testing.assert_array_equal(unfit, [one is None or word is None for one, word in zip(x, WORDS, strict=True)])
        assert [block.first_row for block in found.blocks] == np.cumsum(
            [1, *(len(block.rows) for block in found.blocks[:-1])]
        ).tolist()

    def test_ragged_and_unreadable_rows_too(self):
        name = write("a.csv", "x,city\n1,oslo\n2\noops,oslo\n3,narvik\ninf,oslo\n")
        found = read_all([name], features=self.features, levels=self.levels)
        np.testing.assert_array_equal(found.rows[:, 0], [1, nan, nan, 3, np.inf])
        assert found.blocks[0].unfit.tolist() == [False, True, True, False, True]
        assert [problem[1:] for problem in found.problems] == [
            (2, "", "has 1 field, the header has 2"),
            (3, "x", "'oops' is not a number"),
        ]

    def test_every_unfit_row_has_its_reason(self):
        name = write("a.csv", "x,city\n1,oslo\n2\noops,\n3,\ninf,\n5,oslo\n")
        with open_source([name], features=self.features, levels=self.levels) as source:
            for block in source.blocks():
                assert [source.problem(block, index) for index in np.flatnonzero(block.unfit).tolist()] == [
                    (1, "", "has 1 field, the header has 2"),
                    (2, "x", "'oops' is not a number"),
                    (3, "city", "missing"),
                    (4, "x", "infinite"),
                ]

    def test_numbers_may_stand_where_text_stood(self):
        pq.write_table(pa.table({"zip": [5020, 7, None]}), "a.parquet")
        found = read_all(["a.parquet"], features=["zip=5020", "zip=(other)"], levels={"zip": ["7", "5020"]})
        np.testing.assert_array_equal(found.rows, [[1, 0], [0, 0], [nan, nan]])

    def test_columns_that_are_not_there(self, refused):
        name = write("a.csv", "X,town,z\n1,oslo,3\n")
        sentence = refused([name], features=self.features, levels=self.levels)
        assert sentence == "a.csv has no columns 'x' (did you mean 'X'?), 'city'; its columns are 'X', 'town', 'z'"
        name = write("b.csv", "x,citi\n1,oslo\n")
        sentence = refused([name], features=self.features, levels=self.levels)
        assert sentence == "b.csv has no column 'city'; did you mean 'citi'? Its columns are 'x', 'citi'"
        name = write("c.csv", "x,city\nmany,oslo\nfew,oslo\n")
        assert "c.csv: column 'x' holds text, not numbers" in refused(
            [name], features=self.features, levels=self.levels
        )

    def test_names_and_columns_are_inverse(self):
        columns, levels = ["a", "n", "a=b"], {"a=b": ["1", "2"], "a": ["x", "b"]}
        assert feature_columns(feature_names(columns, levels), levels) == columns
        assert are_features(feature_names(columns, levels), levels)
        assert not are_features(["n"], levels)
        assert not are_features([*feature_names(columns, levels), "a=b"], levels)

    def test_levels_that_cannot_be(self, refused):
        name = write("a.csv", "city\noslo\n")
        for levels in ({"city": []}, {"city": ["oslo", "oslo"]}):
            assert "levels asked for" in refused([name], features=["city=(other)"], levels=levels)


FORGERIES = [
    {"labels": []},
    {"labels": ["a", "a"]},
    {"labels": [None]},
    {"labels": "ab"},
    {"labels": {"a": 1}},
    {"labels": [1, 2]},
    {"labels": None},
    {"labelled": 0},
    {"labels": ["a"], "fixed": True},
    {"levels": {}},
    {"levels": {"city": "oslo"}},
    {"levels": {"city": ["oslo", "narvik", "bergen"]}},
    {"levels": {"city": ["oslo", "bergen", "bergen"]}},
    {"levels": {"x": ["oslo"]}},
    {"target": "x"},
    {"target": None},
    {"target": ["y"]},
    {"names": ["y", "x", "y"]},
    {"kinds": ["text", "number", "word"]},
    {"kinds": ["number", "number", "text"]},
]


@pytest.mark.parametrize("forged", FORGERIES, ids=json.dumps)
def test_a_forged_place_is_not_sound(forged):
    name = written("csv", {"city": WORDS, "x": X, "y": ["a", "b", "a", "b", "a"] * 7})
    found = read_all([name], target="y", target_kind="label", one_hot=True, batch_rows=4)
    position = found.blocks[0].position
    assert is_sound(position, found.names)
    assert not is_sound({**position, **forged}, found.names)
