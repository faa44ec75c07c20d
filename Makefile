# Everything works from a fresh clone: a target sets up what it needs first, and
# skips what is up to date. Nothing outside the clone is written.

PYTHON ?= python3
JOBS ?= $(shell nproc)
BUILD ?= build

VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
RUN := $(BIN)/python
PACKAGES := $(VENV)/packages.stamp
# Tools that call others find those of .venv, whatever is installed.
export PATH := $(BIN):$(PATH)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup build demo test test-lit test-unit test-all fuzz bench examples docs docs-check lint format wheel clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(PACKAGES) ## Install the Python packages, LLVM and MLIR among them, into .venv

$(PACKAGES): pyproject.toml scripts/setup.py
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV) || \
	  { echo "error: '$(PYTHON) -m venv' failed; Python 3.10 or newer with its venv module is needed (Debian: python3-venv)" >&2; exit 1; }
	@$(RUN) scripts/setup.py packages
	@touch $@

$(BUILD)/build.ninja: $(PACKAGES)
	@command -v $${CXX:-c++} >/dev/null || \
	  { echo "error: no C++ compiler found; install one (Debian: g++) or set CXX" >&2; exit 1; }
	@test -e "$$($(RUN) -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" || \
	  { echo "error: no Python.h found for $(PYTHON); install Python's headers (Debian: python3-dev)" >&2; exit 1; }
	$(BIN)/cmake -S . -B $(BUILD) -G Ninja -DCMAKE_MAKE_PROGRAM=$(BIN)/ninja -DPython3_EXECUTABLE=$(RUN) -DPython_EXECUTABLE=$(RUN)
	@touch $@

build: $(BUILD)/build.ninja ## Build the tools and the Python package
	@$(BIN)/ninja -C $(BUILD) -j $(JOBS)
	@$(RUN) scripts/setup.py links --build $(BUILD)

demo: build ## Train a classifier under four schedules: checked, timed, pictured
	$(RUN) -m coconet_mlir.demo

test: test-lit test-unit ## Run the tests that every change must pass

test-lit: build ## Run the IR tests (FILTER=regex selects)
	$(BIN)/lit -j $(JOBS) $(if $(FILTER),--filter '$(FILTER)') $(BUILD)/test/lit

test-unit: build ## Run the numeric tests (FILTER=expression selects)
	$(RUN) -m pytest -n $(JOBS) $(if $(FILTER),-k '$(FILTER)')

test-all: test lint docs-check fuzz ## Run everything: slow tests, lint, docs, fuzzing too
	$(RUN) -m pytest -n $(JOBS) -m slow

fuzz: build ## Try mutated texts, and random programs under random schedules (COUNT=pairs)
	$(RUN) scripts/fuzz.py texts --jobs $(JOBS)
	$(RUN) scripts/fuzz.py pairs --jobs $(JOBS) --count $(or $(COUNT),1000)

bench: build ## Time the fused Adam step against a C loop and against AR-Opt
	$(RUN) benchmarks/run.py

examples: build ## Write the workloads and their schedules to examples/ as MLIR
	$(RUN) scripts/generate_examples.py

docs: build ## Generate docs/reference and docs/tutorial.md
	$(RUN) scripts/generate_docs.py

docs-check: build ## Check that the generated docs are up to date
	$(RUN) scripts/generate_docs.py --check

lint: $(PACKAGES) ## Check the format and the rules of the sources
	$(RUN) scripts/lint.py

format: $(PACKAGES) ## Format the sources
	$(RUN) scripts/lint.py --fix

wheel: $(PACKAGES) ## Build a wheel into dist/
	$(RUN) -m pip wheel --no-deps --no-build-isolation -w dist .

clean: ## Remove what was built, keep .venv
	rm -rf $(BUILD) dist
