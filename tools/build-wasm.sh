#!/usr/bin/env bash
# Builds the WebAssembly variants into build/wasm/<variant>/bin: tessera-<variant>.wasm and its loader.
#   usage: tools/build-wasm.sh [variant...]        (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
variants=${*:-scalar simd relaxed simd-threads relaxed-threads}
if ! bin=$(tools/find-emcc.sh); then
  echo "build-wasm: no emcc 3.1.61 or newer; run tools/setup.sh wasm" >&2
  exit 1
fi
export PATH=$bin:$PATH
# python3 on the PATH may be a slow shim of a version manager; each of emcc's many calls would pay for it
if [ -x /usr/bin/python3 ]; then export EMSDK_PYTHON=${EMSDK_PYTHON-/usr/bin/python3}; fi
# emcc itself calls the cache, so that a hit spares clang and the key is clang's own command line
if command -v ccache >/dev/null; then export EM_COMPILER_WRAPPER=${EM_COMPILER_WRAPPER-$(command -v ccache)}; fi
for variant in $variants; do
  dir=build/wasm/$variant
  mkdir -p "$dir"
  if command -v flock >/dev/null; then exec 9>"$dir/.lock"; flock 9; fi  # two builds in one folder spoil each other
  [ -f "$dir/build.ninja" ] || emcmake cmake -S . -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_TESTS=OFF -DTESSERA_WASM_VARIANT="$variant"
  echo "build-wasm: $variant"
  cmake --build "$dir"
done
