"""`python -m bench [--write] [NAME]…`: all benchmarks, or some, each beside a peer in one run.

`--write` keeps what was printed in docs/benchmarks.md, one section each. A benchmark is a module
here with a `main` that yields lines. Adding one means adding a file.
"""

from __future__ import annotations

import os
import platform
import sys
from datetime import date
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Made by `python -m bench --write [NAME]…`: each beside a peer or a limit in the same run, so that
ratios count and absolute times are the machine's.
"""


def names() -> list[str]:
    """The benchmarks, in order of name."""
    found = (module.name for module in iter_modules([str(Path(__file__).parent)]))
    return [n for n in found if n[0] != "_" and hasattr(import_module(f"bench.{n}"), "main")]


def main(arguments: list[str]) -> int:
    known = names()
    keep = "--write" in arguments
    arguments = [argument for argument in arguments if argument != "--write"]
    if unknown := [name for name in arguments if name not in known]:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    for name in arguments or known:
        print(f"{name}", flush=True)
        printed = []
        for line in import_module(f"bench.{name}").main():
            print(f"  {line}", flush=True)
            printed.append(line)
        if keep:
            write(name, printed)
    return 0


def write(name: str, lines: list[str]) -> None:
    """Put a benchmark's lines into its section of the page, others left as they are."""
    where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    page = PAGE.read_text("utf-8") if PAGE.exists() else HEAD
    sections = dict(part.split("\n\n", 1) for part in page.split("\n## ")[1:])
    text = "\n".join(lines)
    sections[name] = f"{date.today():%Y-%m-%d}, {where}.\n\n```\n{text}\n```\n"
    body = "".join(f"\n## {key}\n\n{sections[key].strip()}\n" for key in sorted(sections))
    PAGE.write_text(HEAD + body, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
