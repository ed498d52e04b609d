"""Files that a command was asked to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from verify.errors import UsageError
from verify.report.file import check_all, check_writable, write_whole


def test_the_file_is_replaced_as_a_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"
    write_whole(path, "新しい\n")
    assert path.read_bytes() == "新しい\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_keeps_pointing_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize(
    "name", [".", "missing/page.html", "a-file/page.html", "a\x00b", "n" * 300]
)
def test_what_cannot_be_written_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    for attempt in (check_writable, lambda path: write_whole(path, "")):
        with pytest.raises(UsageError) as caught:
            attempt(tmp_path / name)
        assert "\n" not in caught.value.render("en")
    assert [p.name for p in tmp_path.iterdir()] == ["a-file"]


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(UsageError, match="regular file"):
        check_writable(Path("/dev/null"))


def test_one_file_for_two_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("page.html")
    check_all([tmp_path / "page.html", tmp_path / "trace.json"])
    for name in ("page.html", "link", "./page.html"):
        with pytest.raises(UsageError, match="named twice"):
            check_all([tmp_path / "page.html", tmp_path / name])
