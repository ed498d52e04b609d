"""The benchmark of the start times three programs that really ask."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("anki")

from bench import start  # where Anki isn't installed there is no peer


def test_all_three_ask_their_first_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "TIMES", 1)
    assert all(0.01 < seconds < 60 for seconds in start.measure(tmp_path, 40))


def test_a_program_that_asks_nothing_has_no_time() -> None:
    with pytest.raises(RuntimeError, match="no question"):
        start._piped([start.sys.executable, "-c", "print('hello')"], "asked", {})
