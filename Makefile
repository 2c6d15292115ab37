# The one entry point. `make help` lists what there is.
# Each target first lets tools/setup.sh install what is missing (Debian, root) or say what is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
# The compiler cache serves every clone of this repository, wherever it lies.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

.PHONY: demo build native wasm npm test test-native unit test-neon bench bench-page soak serve format lint clean help

demo: ## Find objects and a person's pose in a photo, natively; writes an annotated picture
	@$(MAKE) --no-print-directory native tests/node_modules/.installed
	@bash examples/demo/run.sh

build: native npm ## The native library, the CLI (build/release/bin/tessera) and the npm package (build/npm)

native: ## The native library and the programs
	@tools/setup.sh native
	@mkdir -p build
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release --target tessera_programs

wasm: ## The WebAssembly variants
	@tools/setup.sh native wasm
	@tools/build-wasm.sh

npm: wasm js/node_modules/.installed ## The npm package
	@node js/build.mjs

test-native: ## The native half of the tests: units, models, cases, fuzzers, generated files, consumer
	@tools/setup.sh native
	@$(MAKE) --no-print-directory native tests/node_modules/.installed
	@cmake --build --preset release
	@node tests/run.mjs --native

test: ## Everything: native, Node and browser tests; ends with one line of totals
	@tools/setup.sh
	@$(MAKE) --no-print-directory build tests/node_modules/.installed
	@cmake --build --preset release
	@node tests/run.mjs

unit: ## The native unit tests alone, in a debug build
	@tools/setup.sh native
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev --target tessera_tests
	@build/dev/bin/tessera_tests --gtest_brief=1

test-neon: ## The case list and the unit tests built for 64-bit ARM, run by qemu
	@tools/setup.sh native neon
	@cmake --preset aarch64 >/dev/null
	@cmake --build --preset aarch64 --target tessera_cases tessera_tests
	@qemu-aarch64 build/aarch64/bin/tessera_tests --gtest_brief=1
	@qemu-aarch64 build/aarch64/bin/tessera_cases cpu

bench: build bench/node_modules/.installed ## Benchmarks beside other libraries, natively, in Node and in Chromium (ARGS='--where node --only step')
	@cmake --build --preset release --target bench_native_models
	@node bench/run.mjs $(ARGS)

bench-page: build bench/node_modules/.installed ## The same table as a page, for one's own device: http://localhost:8081 (PORT=... to change)
	@node bench/serve.mjs

soak: build tests/node_modules/.installed ## Long runs that watch memory (Node and Chromium, ten minutes)
	@tools/setup.sh
	@node tests/run.mjs --soak

serve: build tests/node_modules/.installed ## The demo as a page on http://localhost:8080 (PORT=... to change)
	@node examples/web/serve.mjs

# Formatting covers the lines changed since BASE: some places are laid out by hand, and stay so while nobody touches them.
BASE ?= HEAD

format: ## Format the C++ lines that changed since the last commit (BASE=... for another)
	@tools/setup.sh lint
	@git clang-format --force --extensions h,cc $(BASE)

lint: ## Check the formatting of those lines, then run clang-tidy over the sources
	@tools/setup.sh native lint
	@git clang-format --diff --extensions h,cc $(BASE) | { ! grep -A1000000 '^diff'; }
	@cmake --preset dev >/dev/null
	@git ls-files 'src/*.cc' 'cli/*.cc' | xargs -r -n 4 -P "$$(nproc)" clang-tidy --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option

clean: ## Remove everything built
	@rm -rf build js/node_modules tests/node_modules

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

# npm packages: exact versions from the lock files, installed only when those changed
%/node_modules/.installed: %/package.json %/package-lock.json
	@echo "npm: packages of $*/"
	@cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
