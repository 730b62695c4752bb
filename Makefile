# Real recordings, where they lie beside the checkout; tests that need them skip without.
ifneq ($(wildcard ../shared/data),)
export DUALRES_DATA ?= $(abspath ../shared/data)
endif

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: setup demo test test-all pytest pytest-all pytest-rest lint bench results manifest speed live api datasets picture session lock site wheels

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
test: setup
	$(MAKE) --no-print-directory -j2 lint pytest

test-all: setup
	$(MAKE) --no-print-directory -j2 lint pytest-all

pytest: setup
	$(PYTEST)

pytest-all: setup
	$(PYTEST) -m "not slow"

pytest-rest: setup
	$(PYTEST) -m "(device or broker or browser or subprocess or exhaustive) and not slow"

bench: setup
	$(BIN)/python speed/window.py
	$(BIN)/python speed/views.py
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
	for script in $(SPEED:%=speed/%) tools/memorised; do \
		$(BIN)/python $$script.py > results/measured/$$(basename $$script).json || exit 1; done
	cd results/measured && sha256sum *.json > SHA256SUMS
	$(BIN)/python tools/speed_history.py $(SPEED)
	$(BIN)/python tools/manifest.py

# How much live streams carry, in half an hour; on an idle machine.
live: setup
	for script in live live_day live_overload; do \
		$(BIN)/python speed/$$script.py -o results/measured/$$script.json > /dev/null || exit 1; done
	cd results/measured && sha256sum *.json > SHA256SUMS
	$(BIN)/python tools/manifest.py
	$(BIN)/python tools/render.py

# Tables, figures and pages, all from the scores and measurements that results/ holds.
results: setup
	$(BIN)/dualres bench report -o results --dir results --no-page
	$(BIN)/python tools/render.py
	$(BIN)/python tools/coverage.py
	$(BIN)/dualres bench verify results

# results/MANIFEST, after anything in results/ was changed, added or removed by hand or by a script.
manifest: setup
	$(BIN)/python tools/manifest.py

# requirements.lock, after a version was changed in constraints.txt.
lock: setup
	$(BIN)/python tools/lock.py

# dist/: wheels for two processors and two C libraries, audited, and tried where they are to run (docs/release.md).
wheels: setup
	$(BIN)/python -m tools.wheels

# docs/api.md, from the docstrings.
api: setup
	$(BIN)/python tools/api.py

# The documents as a site: site/index.html.
site: setup
	$(BIN)/python tools/build_site.py

# What the README's session with one's own files prints.
session: setup
	$(BIN)/python tools/session.py

# docs/datasets.md, from the adapters and the frozen folds.
datasets: setup
	$(BIN)/python tools/datasets.py

# The README's picture, from the demo's model.
picture: demo
	$(BIN)/python tools/picture.py
