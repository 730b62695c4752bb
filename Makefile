# Real recordings, where they lie beside the checkout; tests that need them skip without.
ifneq ($(wildcard ../shared/data),)
export DUALRES_DATA ?= $(abspath ../shared/data)
endif

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: setup demo test test-all pytest pytest-all pytest-rest lint bench results manifest speed live datasets picture session lock site wheels man

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt requirements.lock $(wildcard src/dualres/kernel/*.[ch])
	$(PYTHON) -m venv .venv
	$(BIN)/python tools/install.py
	touch $(STAMP)

demo: setup
	$(BIN)/dualres demo --out demo

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Every behaviour once, in at most 8 minutes on two idle cores (CONTRIBUTING.md); all of it; and what the first left out.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile
# Two workers have a core each. With more threads than that, those of one spin while they wait for those of the other.
ALONE := OMP_NUM_THREADS=1
test: setup
	$(MAKE) --no-print-directory -j2 lint pytest

test-all: setup
	$(MAKE) --no-print-directory -j2 lint pytest-all

pytest: setup
	$(ALONE) $(PYTEST)

pytest-all: setup
	$(PYTEST) -m "not slow"

pytest-rest: setup
	$(PYTEST) -m "(device or broker or browser or subprocess or exhaustive) and not slow"

bench: setup
	$(BIN)/python speed/window.py
	$(BIN)/python speed/views.py
	$(BIN)/python speed/orders.py
	$(BIN)/python speed/record.py
	$(BIN)/python speed/two_threads.py
	$(BIN)/python speed/resample.py
	$(BIN)/python speed/fit.py
	$(BIN)/python speed/own_files.py
	$(BIN)/python speed/augment.py
	$(BIN)/python speed/methods.py
	$(BIN)/python speed/rocket.py
	$(BIN)/python speed/scaling.py

# What `bench` prints, kept for the pages that quote it, its ratios also over time (docs/speed.md); on an idle machine.
SPEED := window record fit augment methods scaling
speed: setup
	for script in $(SPEED); do \
		$(BIN)/python speed/$$script.py > results/measured/$$script.json || exit 1; done
	$(BIN)/python speed/orders.py > results/measured/order_costs.json
	$(BIN)/python -m experiments.eval_memorised > results/measured/memorised.json
	cd results/measured && sha256sum *.json > SHA256SUMS
	$(BIN)/python -m speed.history $(SPEED)
	$(BIN)/python -m tools.manifest

# How much live streams carry, in half an hour; on an idle machine.
live: setup
	for script in live live_day live_overload; do \
		$(BIN)/python speed/$$script.py -o results/measured/$$script.json > /dev/null || exit 1; done
	cd results/measured && sha256sum *.json > SHA256SUMS
	$(BIN)/python -m tools.manifest
	$(BIN)/python -m tools.pages.render

# Tables, figures and pages, all from the scores and measurements that results/ holds.
results: setup
	$(BIN)/dualres bench report -o results --dir results --no-page
	$(BIN)/python -m tools.figures
	$(BIN)/python -m tools.pages.render
	$(BIN)/python -m tools.pages.coverage
	$(BIN)/dualres bench verify results

# results/MANIFEST, after anything in results/ was changed, added or removed by hand or by a script.
manifest: setup
	$(BIN)/python -m tools.manifest

# requirements.lock, after a version was changed in constraints.txt.
lock: setup
	$(BIN)/python tools/lock.py

# dist/: wheels for two processors and two C libraries, audited, and tried where they are to run (docs/release.md).
wheels: setup
	$(BIN)/python -m tools.wheels

# The manual page, build/man/dualres.1: `man -l build/man/dualres.1` shows it.
man: setup
	$(BIN)/python -m tools.man

# The documents as a site: site/index.html.
site: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# What the README's session with one's own files prints.
session: setup
	$(BIN)/python -m tools.pages.session

# docs/datasets.md, from the adapters and the frozen folds.
datasets: setup
	$(BIN)/python -m tools.pages.datasets

# The README's pictures, from the demo's model and of the page.
picture: demo
	$(BIN)/python -m tools.figures.readme_picture
	$(BIN)/python -m tools.figures.page_picture
