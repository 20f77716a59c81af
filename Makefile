# `make demo` and `make test` set up all they need in .venv: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: demo test test-models conformance lint types lit pytest docs clean

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

# The demo needs less than the tests, so that it starts sooner.
$(BIN)/.demo: pyproject.toml
	@echo "setting up .venv for the demo …"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[examples]'
	touch $@

demo: $(BIN)/.demo ## a trained model through every level, its answer beside the expected one
	$(BIN)/python examples/demo.py

test: $(BIN)/.installed lint types lit pytest ## everything that a change must pass

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.installed
	$(BIN)/basedpyright

lit: $(BIN)/.installed
	$(BIN)/lit --quiet test

pytest: $(BIN)/.installed
	$(BIN)/python -m pytest -n auto -m "not models and not slow"

test-models: $(BIN)/.installed ## trained models from packages, against ONNX Runtime
	$(BIN)/python -m pytest -m models

conformance: $(BIN)/.installed ## upstream's own tests (in $$LAMINA_UPSTREAM_TESTS), beside mlir-opt
	$(BIN)/python test/conformance/roundtrip.py --docs docs/conformance.md
	$(BIN)/python test/conformance/canonicalize.py --docs docs/conformance.md
	$(BIN)/python test/conformance/results.py

docs: $(BIN)/.installed ## the generated reference pages
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build dist *.egg-info demo-out
