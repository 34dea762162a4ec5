"""Fixtures of the tests of the ingest."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from reading import read_all

from tailproof.errors import DataError


@pytest.fixture
def refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The one line with which a source is refused, opened or read."""
    monkeypatch.chdir(tmp_path)

    def refuse(paths: Sequence[str], **options: Any) -> str:
        with pytest.raises(DataError) as caught:
            read_all(paths, **options)
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert len(sentence) < 600
        assert caught.value.__cause__ is None
        return sentence

    return refuse
