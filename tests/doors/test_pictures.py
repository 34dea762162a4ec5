"""`--plot` and `--plot-tails`: what is drawn, and what is refused before anything is read."""

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("verb", "options", "pictures"),
    [
        ("mean", ["--columns", "distance,hour"], {"--plot": "bars.png", "--plot-tails": "tails.SVG"}),
        ("regress", ["--target", "duration"], {"--plot": "bars.pdf"}),
        ("classify", ["--target", "kind", "--json"], {"--plot": "bars.svg"}),
    ],
)
def test_pictures_are_written_beside_the_answer(command, trips, verb, options, pictures):
    asked = [word for pair in pictures.items() for word in pair]
    said = command(verb, trips, *options, *asked, "--quiet")
    assert said.code == 0, said
    assert said.out == command(verb, trips, *options, "--quiet").out
    for path in pictures.values():
        assert Path(path).stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--plot", "out.gif"], 1, "out.gif names no kind of picture: end it in .png, .svg or .pdf"),
        (["--plot-tails", "none/out.png"], 1, "there is no folder none"),
        (["--plot", "a.png", "--plot-tails", "a.png"], 2, "--plot-tails a.png would overwrite what --plot writes"),
        (["--plot-tails", "a.png", "--method", "race"], 2, "--plot-tails needs --method sketch"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_read(refused, folder, options, code, words):
    (folder / "a.csv").write_text("x\n1\n2\n")
    assert words in refused("mean", "a.csv", *options, code=code)
