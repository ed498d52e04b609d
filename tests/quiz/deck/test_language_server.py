"""What an author sees in an editor: the yaml-language-server of npm, over its standard streams.

It is the server behind the YAML modes of VS Code, Neovim, Emacs and others.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quiz.deck.json_schema import FILE_NAME, MODELINE
from quiz.deck.library import shipped_decks

SERVER = "yaml-language-server@1.25.0"
CURSOR = "▼"
DECK = f"""\
{MODELINE}deck: mine
title: {{ja: 自作, en: My own}}
cards:
  - id: first
    kind: trap
    ask: Which?
    choices:
      - {{text: half, claim: wire_sent == payload/2 ± 1%, belief: half}}
      - {{text: one and a half, claim: wire_sent == 3/2*payload ± 1%}}
    proof:
      experiment: all-reduce-bytes
      with: {{ranks: 4}}
"""


class Server:
    """A client's side of the Language Server Protocol, as far as these tests need it."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self._diagnostics: dict[str, list[Any]] = {}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self._tell("initialized", {})
        yaml = {"validate": True, "completion": True, "schemaStore": {"enable": False}}
        self._tell("workspace/didChangeConfiguration", {"settings": {"yaml": yaml}})

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def errors(self, path: Path, text: str) -> list[tuple[int, str]]:
        """What is marked: line, from 1, and message."""
        uri = self.open(path, text)
        while uri not in self._diagnostics:
            self._receive()
        found = self._diagnostics.pop(uri)
        return [(d["range"]["start"]["line"] + 1, d["message"]) for d in found]

    def completions(self, path: Path, marked: str) -> set[str]:
        """What is offered at the cursor."""
        before = marked[: marked.index(CURSOR)]
        position = {
            "line": before.count("\n"),
            "character": len(before) - (before.rfind("\n") + 1),
        }
        uri = self.open(path, marked.replace(CURSOR, ""))
        given = self.ask(
            "textDocument/completion", {"textDocument": {"uri": uri}, "position": position}
        )
        items = given["items"] if isinstance(given, dict) else given
        return {item["label"] for item in items}

    def ask(self, method: str, parameters: object) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                return message["result"]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _tell(self, method: str, parameters: object) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while (header := self._process.stdout.readline().strip()) or not length:
            name, _, value = header.partition(b":")
            assert name, "the server has ended"
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self._diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:  # a request of the server's: nothing to say
            self._send({"id": message["id"], "result": None})
        return message


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    if (installed := shutil.which("yaml-language-server")) is not None:
        return [installed, "--stdio"]
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), SERVER],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"npm can't install {SERVER}: {done.stderr.strip()[:200]}")
    return [str(folder / "node_modules/.bin/yaml-language-server"), "--stdio"]


@pytest.fixture(scope="module")
def server(command: list[str]) -> Iterator[Server]:
    started = Server(command)
    yield started
    started.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A deck's place, its schema beside it as `quiz deck new` leaves it."""
    shutil.copy(shipped_decks() / FILE_NAME, tmp_path)
    return tmp_path / "mine.yaml"


def test_a_sound_deck_is_unmarked(server: Server, path: Path) -> None:
    assert server.errors(path, DECK) == []


def test_the_shipped_decks_find_their_schema_and_are_unmarked(server: Server) -> None:
    shipped = sorted(shipped_decks().glob("*.yaml"))
    assert shipped
    for deck in shipped[:2]:
        text = deck.read_text(encoding="utf-8")
        assert server.errors(deck, text) == []
        line = text[: text.index("    kind: ")].count("\n") + 1
        wrong = text.replace("    kind: ", "    kind: x", 1)
        assert line in [found for found, _ in server.errors(deck.with_name("wrong.yaml"), wrong)]


@pytest.mark.parametrize(
    ("good", "bad", "line", "said"),
    [
        ("kind: trap", "kind: wish", 6, "recall"),
        ("title:", "titel:", 3, "titel"),
        ("    ask: Which?", "    ask: 42", 7, "string"),
        ("    ask: Which?", "    ask: Which?\n    answer: x", 8, "answer"),
        ("experiment: all-reduce-bytes", "experiment: all-reduce", 12, "all-reduce-bytes"),
        ("{ranks: 4}", "{ranks: 400}", 13, "16"),
        ("{ranks: 4}", "{rank: 4}", 13, "rank"),
        ("{ranks: 4}", "{ranks: 4}\n      fault: no-such", 14, "skip-all-reduce"),
    ],
)
def test_an_error_stands_at_its_line(
    server: Server, path: Path, good: str, bad: str, line: int, said: str
) -> None:
    found = server.errors(path, DECK.replace(good, bad, 1))
    assert (line, True) in [(at, said in message) for at, message in found], found


@pytest.mark.parametrize(
    ("text", "offered", "absent"),
    [
        (DECK + f"    {CURSOR}\n", {"topic", "source", "hint", "after"}, {"answer", "vary"}),
        (DECK.replace("kind: trap", f"kind: {CURSOR}"), {"recall", "trap", "compute"}, {"id"}),
        (
            DECK.replace("experiment: all-reduce-bytes", f"experiment: {CURSOR}"),
            {"all-reduce-bytes", "pipeline-bubble"},
            {"ranks"},
        ),
        (DECK.replace("{ranks: 4}", f"\n        {CURSOR}"), {"ranks", "payload"}, {"stages"}),
        (DECK + f"      fault: {CURSOR}", {"skip-all-reduce", "one-element"}, {"serial"}),
    ],
    ids=["card", "kind", "experiment", "with", "fault"],
)
def test_completion(
    server: Server, path: Path, text: str, offered: set[str], absent: set[str]
) -> None:
    found = server.completions(path, text)
    assert offered <= found
    assert not absent & found
