# Each target makes its own .venv with pip and needs no other step.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

PEERS := .venv-bench

.PHONY: demo test test-all accuracy bench bench-quick docs pictures clean

demo: $(STAMP)
	@$(BIN)/tailproof mean examples/requests.parquet

test: $(STAMP)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q -m "not slow"

test-all: $(STAMP)
	@$(BIN)/python -m pytest -q

# The figures of README and docs, with fresh seeds and 2,000 trials each, or near (about 20 minutes on 2 cores): the
# page docs/accuracy.md.
accuracy: $(STAMP)
	@$(BIN)/python bench/accuracy.py --page docs/accuracy.md

# Speed and accuracy beside named peers, in an environment of their own: docs/benchmarks.md and its picture.
# The environment takes some 2 GB, the run some 8 minutes on 2 cores.
bench: $(PEERS)/.installed
	@$(PEERS)/bin/python bench/peers_speed.py
	@$(PEERS)/bin/python bench/peers_page.py
	@$(PEERS)/bin/python bench/peers_picture.py

# A few of the figures in two minutes, beside what the ordinary environment has. Writes nothing.
bench-quick: $(STAMP)
	@$(BIN)/python bench/peers_speed.py --quick

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

# Each on its own: one that does not install here is left out, and the page says so.
$(PEERS)/.installed: pyproject.toml bench/peers.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --upgrade pip
	@$(PEERS)/bin/python -m pip install --quiet --editable '.[plot]'
	@while read -r peer; do \
		$(PEERS)/bin/python -m pip install --quiet "$$peer" </dev/null || echo "left out: $$peer does not install here"; \
	done < bench/peers.txt
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) build dist docs/_build docs/reference docs/examples .pytest_cache .mypy_cache .ruff_cache
