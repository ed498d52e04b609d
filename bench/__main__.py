"""`python -m bench [NAME]…`: every benchmark, or those named, each beside a peer in one run.

A benchmark is a module here with a `main` that yields lines. Adding one means adding a file.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def names() -> list[str]:
    """The benchmarks, in order of name."""
    found = (module.name for module in iter_modules([str(Path(__file__).parent)]))
    return [n for n in found if n[0] != "_" and hasattr(import_module(f"bench.{n}"), "main")]


def main(arguments: list[str]) -> int:
    known = names()
    if unknown := [name for name in arguments if name not in known]:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    for name in arguments or known:
        print(f"{name}", flush=True)
        for line in import_module(f"bench.{name}").main():
            print(f"  {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
