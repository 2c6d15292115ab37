#!/usr/bin/env bash
# `make bench`: kernels natively, then the published models in Node beside TensorFlow.js's wasm backend.
set -euo pipefail
cd "$(dirname "$0")/.."
build/release/bin/bench_kernels || true
node bench/node_models.mjs --variant simd
node --experimental-wasm-relaxed-simd bench/node_models.mjs --variant relaxed
