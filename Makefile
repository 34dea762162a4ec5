# Each target makes its own .venv with pip and needs no other step.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all accuracy bench docs pictures clean

demo: $(STAMP)
	@$(BIN)/tailproof mean examples/requests.parquet

test: $(STAMP)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q -m "not slow"

test-all: $(STAMP)
	@$(BIN)/python -m pytest -q

# The figures of README and docs, with fresh seeds and at least 2,000 trials each (about 20 minutes on 2 cores): the
# page docs/accuracy.md.
accuracy: $(STAMP)
	@$(BIN)/python bench/accuracy.py --page docs/accuracy.md

# Ratios to named peers, within one run.
bench: $(STAMP)
	@$(BIN)/python bench/speed.py

# The site, in docs/_build: it works without a network. Warnings are errors.
docs: $(VENV)/.documented
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

# The pictures of its pages.
pictures: $(STAMP)
	@$(BIN)/python bench/pictures.py

$(VENV)/.documented: $(STAMP)
	@$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --editable '.[test,plot]'
	@touch $@

clean:
	rm -rf $(VENV) build dist docs/_build docs/reference docs/examples .pytest_cache .mypy_cache .ruff_cache
