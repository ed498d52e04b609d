# make study   makes the virtual environment, installs, starts studying
# make test    the whole check, as CI runs it

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: study test check unit prove soak bench clean

study: $(VENV)/study.stamp
	@$(BIN)/quiz study

test: check unit prove

# Style, types, and figures in the documentation that are the program's own output.
check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m cogapp --check README.md README.ja.md

# Two workers: every world brings ranks of its own.
unit: $(VENV)/test.stamp
	$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

# Every shipped answer, proven on this machine.
prove: $(VENV)/test.stamp
	$(BIN)/quiz lint decks/ --prove

# The long forms: 1,000 kills, eight sittings at once, 2,000 mutated packages. About half an hour on two idle cores.
soak: $(VENV)/test.stamp
	$(BIN)/python -m pytest -m soak

bench: $(VENV)/test.stamp
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name it: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/study.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing (torch is about 200 MB to download; once only)…"
	@$(PIP) --editable '.[verify]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[verify,dev]'
	@touch $@ $(VENV)/study.stamp
