# Each target makes its own .venv with pip and needs no other step.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all accuracy bench lint types clean

demo: $(STAMP)
	@$(BIN)/tailproof mean examples/requests.parquet

test: $(STAMP)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q -m "not slow"

test-all: $(STAMP)
	@$(BIN)/python -m pytest -q

# The figures of README and docs, with fresh seeds and at least 2,000 trials each (about 20 minutes on 2 cores).
accuracy: $(STAMP)
	@$(BIN)/python bench/accuracy.py

# Ratios to named peers, within one run.
bench: $(STAMP)
	@$(BIN)/python bench/speed.py

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --editable '.[test,plot]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
