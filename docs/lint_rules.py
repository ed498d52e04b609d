"""`python -m docs.lint_rules` writes docs/lint-rules.md from the rules' own manual pages."""

from __future__ import annotations

import re
from pathlib import Path

from quiz.lint.rule import Rule, from_lint, from_loader, from_proving
from quiz.lint.rules import all_rules

PAGE = Path(__file__).parent / "lint-rules.md"

_INTRODUCTION = """\
# The rules of `quiz lint`

`quiz lint` applies {count} rules. A rule finds an error or, where it says so, warns. The command
leaves with 0 where there is no error, with 1 where there is one, and with 2 where a file can't be
opened or the command is wrong.

This page is made from the rules themselves: `python -m docs.lint_rules`.

## Leaving findings out

A comment allows one finding, with the reason behind two hyphens. At the end of a line it speaks for
that line, on a line of its own for the next, and with `allow-file` for the whole file:

```yaml
  - id: ring-again   # quiz: allow near-duplicate -- asked again on purpose, before the exam
# quiz: allow-file missing-source -- all of it from one lecture, named in the title
```

Rules marked *firm* can't be allowed: a card that breaks one can't be studied.

A project chooses rules in `pyproject.toml` under `[tool.quiz.lint]`, or in a file `.quiz.toml`:

```toml
[tool.quiz.lint]
select = ["near-duplicate"]          # these alone; all by default
ignore = ["missing-source"]
severity = {{telling-length = "error"}}
exclude = ["drafts/*"]               # files of a folder, by their path from here
```

## Rules

| rule | what it finds |
|---|---|
"""


def page() -> str:
    """The whole page."""
    rules = all_rules()
    rows = [f"| [`{rule.id}`](#{rule.id}) | {_first(rule)} |\n" for rule in rules]
    sections = [f"\n### {rule.id}\n\n{_kind(rule)}{_manual(rule)}" for rule in rules]
    return "".join([_INTRODUCTION.format(count=len(rules)), *rows, *sections])


def _first(rule: Rule) -> str:
    """The first paragraph, on one line of a table."""
    return " ".join(rule.manual.partition("\n\n")[0].split()).replace("|", "\\|")


def _kind(rule: Rule) -> str:
    if isinstance(rule.check, from_loader):
        return "*Firm.* "
    if rule.check is from_lint:
        return "*Firm; about comments that allow findings.* "
    return "*With `--prove`.* " if rule.check is from_proving else ""


def _manual(rule: Rule) -> str:
    """The manual with its indented samples as blocks of YAML."""
    text, samples = rule.manual.strip() + "\n", re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.M)

    def block(match: re.Match[str]) -> str:
        lines = [line[4:] for line in match[0].strip("\n").split("\n")]
        return "\n```yaml\n" + "\n".join(lines) + "\n```\n"

    return samples.sub(block, text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
