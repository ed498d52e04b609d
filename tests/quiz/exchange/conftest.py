"""Packages to read: real ones, ones that the real Anki writes, and ones taken apart."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from quiz.clock import Moment, moment_of

DATA = Path(__file__).parents[2] / "data" / "anki"


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def now() -> Moment:
    return moment_of(datetime.fromisoformat("2026-10-01T09:00:00+09:00"))


@pytest.fixture(scope="session")
def numerical() -> Path:
    """39 notes, 20 cards in learning, 22 reviews, 6 media; see tests/data/README.md."""
    return DATA / "NumericalComputation.apkg"


@pytest.fixture(scope="session")
def linear() -> Path:
    """32 notes of a type with two templates, 30 media."""
    return DATA / "LinearAlgebra.apkg"


@pytest.fixture(scope="session")
def members() -> Callable[[Path], dict[str, bytes]]:
    """The files of a zip by name."""

    def read(path: Path) -> dict[str, bytes]:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    return read


@pytest.fixture(scope="session")
def zipped() -> Callable[[dict[str, bytes]], bytes]:
    """A zip of files by name."""

    def write(files: dict[str, bytes]) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return out.getvalue()

    return write


@pytest.fixture
def changed(tmp_path, members, zipped) -> Callable[..., Path]:
    """A package whose collection some SQL has changed."""

    def write(path: Path, *statements: str, name: str = "changed.apkg") -> Path:
        files = members(path)
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(files["collection.anki2"])
            for statement in statements:
                connection.execute(statement)
            files["collection.anki2"] = connection.serialize()
        target = tmp_path / name
        target.write_bytes(zipped(files))
        return target

    return write


@pytest.fixture
def anki(tmp_path):
    """A fresh collection of the real Anki."""
    collection = pytest.importorskip("anki.collection")
    opened = collection.Collection(str(tmp_path / "judge.anki2"))
    yield opened
    opened.close()


@pytest.fixture
def anki_import(anki):
    """Import a package into it, with its schedule. Gives how many notes are new and updated."""
    from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest

    def take(path: Path) -> tuple[int, int]:
        options = ImportAnkiPackageOptions(merge_notetypes=True, with_scheduling=True)
        request = ImportAnkiPackageRequest(package_path=str(path), options=options)
        log = anki.import_anki_package(request).log
        return len(log.new), len(log.updated)

    return take


@pytest.fixture
def anki_export(anki, tmp_path):
    """Export all of it as a package with its schedule, in the new format or the old one."""
    from anki.collection import ExportAnkiPackageOptions

    def give(name: str = "from-anki.apkg", *, legacy: bool = False) -> Path:
        path = tmp_path / name
        if path.suffix == ".colpkg":
            anki.export_collection_package(str(path), include_media=True, legacy=legacy)
            anki.reopen()
        else:
            options = ExportAnkiPackageOptions(
                with_scheduling=True, with_deck_configs=False, with_media=True, legacy=legacy
            )
            anki.export_anki_package(out_path=str(path), options=options, limit=None)
        return path

    return give
