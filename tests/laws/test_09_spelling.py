"""A rule's spelling is read back to the same rule, and nothing else is."""

import pytest

import tailproof
from tailproof.errors import RuleError
from tailproof.piece import parse, piece, spell
from tests.laws.catalogue import PIECES, known, name


def test_every_piece_has_an_example():
    assert set(known()) <= {type(example).__name__ for example in PIECES}


@pytest.mark.parametrize("example", PIECES, ids=name)
def test_spelling_round_trips(example):
    assert parse(spell(example)) == example
    assert repr(parse(repr(example))) == repr(example)


def test_the_spelling_of_the_readme():
    text = (
        "ClippedSGD(loss=Squared(), level=Fixed(level=5.0), steps=Harmonic(gain=1.0, delay=20.0), "
        "domain=Ball(radius=10.0), bars=False)"
    )
    assert repr(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "__import__('os').system('true')",
        "Fixed(level=[1.0])",
        "Fixed(level=print)",
        "Fixed.__class__",
        "Fixed(5.0).level",
        "lambda: 1",
        "Unknown(level=5.0)",
        "Fixed(wrong=5.0)",
        "Fixed(1.0, 2.0)",
        "Fixed(**{})",
        "Fixed(level=-1.0)",
        "(" * 5000,
        "-" * 100000 + "1",
    ],
)
def test_what_is_no_spelling_is_refused(text):
    with pytest.raises(RuleError):
        parse(text)


def test_pieces_of_different_classes_are_unequal():
    assert tailproof.Constant(0.5) != tailproof.Fixed(0.5)
    assert len({tailproof.Constant(0.5), tailproof.Fixed(0.5)}) == 2
    assert tailproof.Fixed(0.5) == tailproof.Fixed(0.5)


def test_a_field_may_not_have_the_name_of_a_method():
    class Wrong:
        value: float = 1.0

    with pytest.raises(RuleError, match="name of a method"):
        piece(Wrong)
