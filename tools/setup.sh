#!/usr/bin/env bash
# Installs what Tessera's builds and tests need and this machine lacks, and nothing else.
#   usage: tools/setup.sh [native] [wasm] [test] [lint] [neon]        (no argument: native wasm test)
#
#   native  the library, the CLI and the demo        wasm  the WebAssembly modules and the npm package
#   test    browser and GPU drivers for the tests    lint  clang-format and clang-tidy
#   neon    a compiler for 64-bit ARM and an emulator
#
# On Debian 12 or newer as root, missing packages come from apt (and emcc from tools/setup-emscripten.sh). Elsewhere the script lists each
# missing thing with its version, installs nothing and exits with 1. When everything is there it takes a moment and touches nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
emscripten=${TESSERA_EMSCRIPTEN:-/opt/emscripten}
groups=${*:-native wasm test}

packages=()   # Debian's names
wanted=()     # for people: name and version

want() {  # "name and version" package...
  wanted+=("$1"); shift; packages+=("$@")
}
has() { command -v "$1" >/dev/null 2>&1; }
file() { compgen -G "$1" >/dev/null; }
header() {
  local dir
  for dir in /usr/include /usr/local/include /usr/include/"$(uname -m)"-linux-gnu /opt/homebrew/include ${CPATH:+${CPATH//:/ }}; do
    [ -e "$dir/$1" ] && return 0
  done
  return 1
}
at_least() {  # minimum version: compares up to three numbers, without starting a process
  local -a low have
  local i
  IFS=. read -ra low <<<"$1"
  IFS=. read -ra have <<<"${2//[^0-9.]/}"
  for i in 0 1 2; do
    ((10#${have[i]:-0} > 10#${low[i]:-0})) && return 0
    ((10#${have[i]:-0} < 10#${low[i]:-0})) && return 1
  done
  return 0
}

check_native() {
  if has g++ && at_least 12 "$(g++ -dumpversion)"; then :; elif has clang++ && [ ! -e /etc/debian_version ]; then :; else want "g++ 12 or newer (C++20)" g++; fi
  has cmake && at_least 3.25 "$(cmake --version 2>/dev/null | { read -r line; echo "$line"; })" || want "cmake 3.25 or newer" cmake
  has ninja || want "ninja 1.11 or newer" ninja-build
  has ccache || want "ccache 4 (optional elsewhere; makes rebuilds fast)" ccache
  header hwy/highway.h || want "Highway 1.0.3 or newer (headers and libhwy)" libhwy-dev
  header rapidjson/document.h || want "RapidJSON 1.1" rapidjson-dev
  header stb/stb_image.h || header stb_image.h || want "stb (stb_image.h, stb_image_write.h; 2022 or newer)" libstb-dev
  header zlib.h || want "zlib 1.2" zlib1g-dev
  header gtest/gtest.h || want "GoogleTest 1.12" libgtest-dev
  header EGL/egl.h || want "EGL 1.5 (headers and library)" libegl-dev
  header GLES3/gl3.h || want "OpenGL ES 3.0 (headers and library)" libgles-dev
  has node && at_least 18 "$(node --version)" || want "Node.js 18 or newer" nodejs
  has npm || want "npm 9 or newer" npm
  [ -e /etc/ssl/certs/ca-certificates.crt ] || [ ! -e /etc/debian_version ] || want "ca-certificates" ca-certificates
}
need_emcc=0
check_wasm() {
  has python3 || want "Python 3.9 or newer (emcc runs on it)" python3
  "$here/find-emcc.sh" >/dev/null && return
  need_emcc=1
  wanted+=("emcc (Emscripten) 3.1.61 or newer, on PATH or under \$TESSERA_EMSCRIPTEN")
}
check_test() {
  has chromium || has chromium-browser || has google-chrome || want "Chromium 120 or newer" chromium
  if [ -e /etc/debian_version ]; then
    file '/usr/lib/*/libEGL_mesa.so.0' || want "Mesa's EGL" libegl-mesa0 libegl1
    file '/usr/lib/*/dri/swrast_dri.so' || want "Mesa's drivers (software OpenGL ES)" libgl1-mesa-dri
    file '/usr/share/fonts/truetype/*' || want "a font for the browser's pictures" fonts-dejavu-core
  fi
}
check_lint() {
  has clang-format || want "clang-format 14 or newer" clang-format
  has clang-tidy || want "clang-tidy 14 or newer" clang-tidy
}
check_neon() {
  has aarch64-linux-gnu-g++ || want "a g++ 12 or newer for aarch64-linux-gnu" g++-aarch64-linux-gnu
  has qemu-aarch64 || want "qemu 7's user-mode emulation" qemu-user
  [ -e /usr/src/googletest/CMakeLists.txt ] || want "GoogleTest's sources under /usr/src/googletest" googletest
}

for group in $groups; do
  case $group in
    native | wasm | test | lint | neon) "check_$group" ;;
    *) echo "setup: unknown group '$group'; it must be native, wasm, test, lint or neon" >&2; exit 2 ;;
  esac
done
[ ${#wanted[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! has apt-get || ! (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-0}" -ge 12 ]); then
  {
    echo "Tessera needs these, which this machine lacks (on Debian 12 or 13, run as root, make installs them itself):"
    printf '  %s\n' "${wanted[@]}"
    [ ${#packages[@]} -eq 0 ] || echo "Debian's names: ${packages[*]}"
  } >&2
  exit 1
fi

if [ ${#packages[@]} -gt 0 ]; then
  echo "setup: installing ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
if [ "$need_emcc" = 1 ]; then
  echo "setup: installing Emscripten under $emscripten"
  bash "$here/setup-emscripten.sh" "$emscripten"
fi
