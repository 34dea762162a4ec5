"""Targets: numbers to explain, and labels with their numbers."""

import io
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pyarrow as pa
import pytest
from reading import read_all, resumes
from tables import FORMATS, written

from tailproof.blocks import open_source
from tailproof.categories import LONGEST, MOST_LABELS

nan, inf = np.nan, np.inf
X = [float(row) for row in range(30)]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, data: str) -> str:
    Path(name).write_text(data)
    return name


def labelled(*words: str, **options) -> tuple:
    """What becomes of a column of labels in CSV: their codes, the labels, and the problems' reasons."""
    name = write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words))
    found = read_all([name], target="y", target_kind="label", **options)
    return found.targets.tolist(), found.labels, [problem[3] for problem in found.problems]


class TestNumbers:
    @pytest.mark.parametrize("format", FORMATS)
    def test_the_target_stands_apart_from_the_features(self, format):
        y = [None if row == 11 else 2 * row for row in range(30)]
        name = written(format, {"y": y, "x": X, "z": [0.5] * 30})
        found = resumes([name], target="y", batch_rows=4)
        assert found.names == ["x", "z"]
        np.testing.assert_array_equal(found.targets, [nan if one is None else one for one in y])
        np.testing.assert_array_equal(found.rows, np.column_stack([X, [0.5] * 30]))
        assert np.flatnonzero(np.concatenate([block.unfit for block in found.blocks])).tolist() == [11]

    def test_features_are_taken_in_their_order(self):
        name = write("a.csv", "y,a,b\n1,2,3\n")
        found = read_all([name], target="y", features=["b", "a"])
        assert (found.rows.tolist(), found.targets.tolist()) == ([[3, 2]], [1])

    def test_truths_are_numbers(self):
        name = write("a.csv", "y,x\ntrue,1\nfalse,2\n")
        assert read_all([name], target="y").targets.tolist() == [1, 0]

    def test_what_is_infinite_or_no_number(self):
        name = write("a.csv", "y,x\n1,1\ninf,1\noops,1\n,1\n2,1\n2,inf\n")
        found = read_all([name], target="y")
        np.testing.assert_array_equal(found.targets, [1, inf, nan, nan, 2, 2])
        assert found.problems == [("a.csv", 3, "y", "'oops' is not a number")]
        assert found.blocks[0].unfit.tolist() == [False, True, True, True, False, True]

    def test_aligned_and_writable(self):
        name = written("parquet", {"x": X, "y": X})
        with open_source([name], target="y") as source:
            for block in source.blocks():
                assert block.targets.ctypes.data % 64 == 0
                assert block.targets.flags.writeable
                assert block.targets.dtype == np.float64

    def test_a_target_that_cannot_be_one(self, refused):
        name = write(
            "a.csv", "when,fare,kind,x,mixed\n2024-01-01,3,taxi,1,a\n2024-01-02,4,bus,2,b\n2024-01-02,4,bus,2,3\n"
        )
        sentence = refused([name], target="kind")
        assert sentence == "a.csv: the target 'kind' holds text, not numbers; if these are labels, use classify"
        assert "holds mostly text, not numbers; if these are labels" in refused([name], target="mixed")
        assert "holds date32[day], not numbers; name another column" in refused([name], target="when")
        assert "holds date32[day]" in refused([name], target="when", target_kind="label")
        assert "has no column 'fair'; did you mean 'fare'?" in refused([name], target="fair")
        sentence = refused([name], target="fare", features=["x", "fare"])
        assert sentence == "the target 'fare' is also among the features; take it out of them"
        assert "cannot be a 'word'" in refused([name], target="fare", target_kind="word")
        assert "no column of numbers besides the target 'x'" in refused([write("b.csv", "x,c\n1,a\n")], target="x")

    def test_a_target_that_is_there_twice(self, refused):
        assert "column 'y' occurs more than once" in refused(
            [write("a.csv", "y,y,x\n1,2,3\n")], target="y", features=["x"]
        )

    def test_going_on_with_another_target(self, refused):
        name = write("a.csv", "y,x\n" + "1,2\n" * 9)
        position = read_all([name], target="y", batch_rows=3).blocks[0].position
        assert "made for the target 'y'" in refused([name], target="x", position=position)
        assert "made for the target 'y'" in refused([name], position=position)
        assert "took 'y' for numbers" in refused([name], target="y", target_kind="label", position=position)
        position = read_all([name], batch_rows=3).blocks[0].position
        assert "made without a target" in refused([name], target="y", position=position)


class TestLabels:
    @pytest.mark.parametrize("format", FORMATS)
    @pytest.mark.parametrize(
        ("labels", "known"),
        [
            ((["no", "yes", "perhaps"] * 10), ["no", "perhaps", "yes"]),
            (([1, 0] * 15), [0, 1]),
            (([10, 9, 2] * 10), [2, 9, 10]),
            (([True, False, True] * 10), [False, True]),
            (([1.5, -2.0] * 15), [-2, 1.5]),
        ],
        ids=["text", "binary", "whole", "truths", "fractions"],
    )
    def test_numbered_in_their_natural_order(self, format, labels, known):
        labels = [None if row == 17 else label for row, label in enumerate(labels)]
        name = written(format, {"x": X, "y": labels})
        found = resumes([name], target="y", target_kind="label", batch_rows=4)
        assert (found.labels, found.classes) == (known, len(known))
        assert [type(label) for label in found.labels] == [type(label) for label in known]
        codes = [nan if label is None else known.index(label) for label in labels]
        np.testing.assert_array_equal(found.targets, codes)
        assert found.problems == []

    def test_a_category(self):
        words = pa.array(["b", "a", None, "b"]).dictionary_encode()
        found = read_all([written("parquet", {"x": X[:4], "y": words})], target="y", target_kind="label")
        assert found.labels == ["a", "b"]
        np.testing.assert_array_equal(found.targets, [1, 0, nan, 1])

    def test_truths_among_numbers_are_as_they_are_spelled(self):
        assert labelled("True", "False", "True")[:2] == ([1, 0, 1], [False, True])
        assert labelled("1", "0", "x")[:2] == ([1, 0, 2], ["0", "1", "x"])

    @pytest.mark.parametrize("format", FORMATS)
    def test_one_that_comes_late_makes_its_row_unfit_and_says_so(self, format, monkeypatch):
        self._scout_few(monkeypatch)
        labels = ["a", "b"] * 14 + ["c", "b"]
        found = resumes([written(format, {"x": X, "y": labels})], target="y", target_kind="label", batch_rows=4)
        assert (found.labels, found.classes) == (["a", "b"], 2)
        np.testing.assert_array_equal(found.targets, [0, 1] * 14 + [nan, 1])
        reason = "label 'c' is none of a, b; name all classes with --labels a,b,c"
        assert found.problems == [(f"a.{format}", 29, "y", reason)]

    @pytest.mark.parametrize("format", FORMATS)
    def test_there_is_room_for_a_second_one(self, format, monkeypatch):
        self._scout_few(monkeypatch)
        labels = ["b"] * 20 + ["a", "c"] * 5
        found = resumes([written(format, {"x": X, "y": labels})], target="y", target_kind="label", batch_rows=4)
        assert (found.labels, found.classes) == (["b", "a"], 2)
        np.testing.assert_array_equal(found.targets, [0] * 20 + [1, nan] * 5)
        assert {problem[3] for problem in found.problems} == {
            "label 'c' is none of b, a; name all classes with --labels b,a,c"
        }

    def test_short_files_are_looked_into_one_after_the_other(self, monkeypatch):
        monkeypatch.setattr("tailproof.blocks.opening.FEWEST_SCOUTED", 4)
        monkeypatch.setattr("tailproof.blocks.opening.MOST_SCOUTED", 4)
        files = ("", "x,y\n1,b\n", "x,y\n", 'x,y\n1,"never closed\n', "y,x\nc,1\na,1\nb,1\nd,1\n")
        names = [write(f"{place}.csv", text) for place, text in enumerate(files)]
        with open_source(names, target="y", target_kind="label") as source:
            assert source.labels == ["a", "b", "c"]
        del names[3]
        found = resumes(names, target="y", target_kind="label", batch_rows=2)
        np.testing.assert_array_equal(found.targets, [1, 2, 0, 1, nan])

    def test_a_pipe_is_read_once(self):
        first, second = write("a.csv", "x,y\n1,b\n"), io.BytesIO(b"x,y\n1,c\n1,d\n")
        found = read_all([first, "-"], target="y", target_kind="label", format="csv", stdin=second)
        assert found.labels == ["b", "c"]
        np.testing.assert_array_equal(found.targets, [0, 1, nan])

    def test_only_one_kind(self):
        assert labelled("a", "a")[:2] == ([0, 0], ["a"])

    def test_a_label_of_another_kind(self, monkeypatch):
        self._scout_few(monkeypatch)
        long = "0,1\n" * 15_000  # beyond the piece of text that decides on the kinds
        name = write("a.csv", "y,x\n" + long * 200 + "c,1\n")
        with open_source([name], target="y", target_kind="label") as source:
            problems = [problem for block in source.blocks() for problem in block.problems]
        assert [problem.reason for problem in problems] == [
            "'c' is not a number; if it is a label, name all classes with --labels"
        ]

    def test_infinite_ones_and_none_at_all(self, refused):
        codes, labels, reasons = labelled("1", "inf", "2", "")
        np.testing.assert_array_equal(codes, [0, nan, 1, nan])
        assert (labels, reasons) == ([1, 2], ["infinite"])
        name = write("a.csv", "x,y\n1,\n2,\n")
        sentence = refused([name], target="y", target_kind="label")
        assert sentence == "a.csv: the target 'y' holds no label in its first rows; name all classes with --labels"

    def test_a_column_of_numbers(self, refused):
        name = written("parquet", {"y": np.arange(MOST_LABELS + 1.0), "x": np.zeros(MOST_LABELS + 1)})
        sentence = refused([name], target="y", target_kind="label")
        assert "the target 'y' holds more than 1,000 different labels; is it a number? use regress" in sentence
        name = written("parquet", {"y": [f"id {row}" for row in range(MOST_LABELS + 1)], "x": [0] * (MOST_LABELS + 1)})
        assert "different labels; choose a target of fewer" in refused([name], target="y", target_kind="label")

    def test_prose_is_no_label(self):
        codes, labels, reasons = labelled("a", "b" * (LONGEST + 1), "c")
        np.testing.assert_array_equal(codes, [0, nan, 1])
        assert (labels, reasons) == (["a", "c"], ["more than 1,000 characters are no label"])

    def test_the_remedy_can_be_typed_or_is_cut(self, monkeypatch):
        self._scout_few(monkeypatch)
        words = [f"class number {letter}" for letter in ascii_lowercase[:20]]
        reasons = labelled(*words, "new")[2]
        assert reasons == [f"label 'new' is none of {', '.join(words[:12])} and 8 more; name all classes with --labels"]
        assert labelled('"a,b"', "c", *["c"] * 30, "d")[2][0].endswith("none of a,b, c; name all classes with --labels")

    @staticmethod
    def _scout_few(monkeypatch):
        monkeypatch.setattr("tailproof.blocks.opening.MOST_SCOUTED", 20)
        monkeypatch.setattr("tailproof.blocks.opening.FEWEST_SCOUTED", 20)


class TestLabelsAsked:
    def test_fix_the_order_and_the_number(self):
        codes, labels, reasons = labelled("b", "a", "d", labels=["b", "c", "a"])
        np.testing.assert_array_equal(codes, [0, 2, nan])
        assert labels == ["b", "c", "a"]
        assert reasons == ["label 'd' is none of b, c, a; name all classes with --labels b,c,a,d"]

    @pytest.mark.parametrize("format", FORMATS)
    @pytest.mark.parametrize(
        ("asked", "held", "known"),
        [
            (["1", "0"], [0, 1], [1, 0]),
            (["0.50", "2"], [0.5, 2.0], [0.5, 2]),
            (["true", "false"], [True, False], [True, False]),
            (["0", "1"], [True, False], [False, True]),
            (["0", "b"], ["0", "b"], ["0", "b"]),
            ([1, "b"], ["1", "b"], ["1", "b"]),
            ([3, 7], [3, 7], [3, 7]),
        ],
        ids=repr,
    )
    def test_texts_stand_for_what_the_column_holds(self, format, asked, held, known):
        name = written(format, {"x": X[:30], "y": [*held] * 15})
        found = resumes([name], target="y", target_kind="label", labels=asked, batch_rows=4)
        assert found.labels == known
        assert [type(label) for label in found.labels] == [type(label) for label in known]
        assert found.targets.tolist() == [known.index(label) for label in held] * 15

    def test_text_among_numbers_may_be_a_label(self):
        assert labelled("0", "1", "x", labels=["0", "1", "x"])[:2] == ([0, 1, 2], ["0", "1", "x"])
        codes, _, reasons = labelled("0", "1", "x", labels=["0", "1"])
        np.testing.assert_array_equal(codes, [0, 1, nan])
        assert reasons == ["'x' is not a number; if it is a label, name all classes with --labels"]

    def test_labels_that_cannot_be(self, refused):
        name = write("a.csv", "x,y\n1,0\n2,1\n")
        asks = {"target": "y", "target_kind": "label"}
        assert "1 label was named; name all classes, at least two" in refused([name], **asks, labels=["0"])
        assert "not all different" in refused([name], **asks, labels=["0", "1", "1"])
        assert "not all different as numbers" in refused([name], **asks, labels=["0", "1", "1.0"])
        assert "too many" in refused([name], **asks, labels=[str(one) for one in range(MOST_LABELS + 1)])
        assert "the target is read as a number" in refused([name], target="y", labels=["0", "1"])

    def test_going_on_with_other_labels(self, refused):
        name = write("a.csv", "x,y\n" + "1,0\n2,1\n" * 5)
        asks = {"target": "y", "target_kind": "label"}
        for first, second in ((["0", "1"], ["1", "0"]), (["0", "1"], None), (None, ["0", "1"])):
            position = read_all([name], **asks, labels=first, batch_rows=3).blocks[0].position
            assert "made with other labels asked for" in refused([name], **asks, labels=second, position=position)
