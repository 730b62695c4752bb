# Real recordings, where they lie beside the checkout; tests that need them skip without.
ifneq ($(wildcard ../shared/data),)
export DUALRES_DATA ?= $(abspath ../shared/data)
endif

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: setup demo test lint bench results speed

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt $(wildcard src/dualres/kernel/*.[ch])
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

demo: setup
	$(BIN)/dualres demo --out demo

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

bench: setup
	$(BIN)/python benchmarks/window.py
	$(BIN)/python benchmarks/record.py
	$(BIN)/python benchmarks/resample.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/augment.py
	$(BIN)/python benchmarks/methods.py
	$(BIN)/python benchmarks/scaling.py

# What `bench` prints, kept for the pages that quote it; on an idle machine.
speed: setup
	for script in window record fit augment methods memorised; do \
		$(BIN)/python benchmarks/$$script.py > results/measured/$$script.json || exit 1; done
	cd results/measured && sha256sum *.json > SHA256SUMS

# Tables, figures and pages, all from the scores and measurements that results/ holds.
results: setup
	$(BIN)/dualres bench report published recipes -o results --dir results --no-page
	$(BIN)/python results/pages/render.py
	$(BIN)/dualres bench verify results
