#!/usr/bin/env bash
# Prints the folder of the emcc to use: the one on PATH if it is 3.1.61 or newer, else the one that tools/setup-emscripten.sh installed
# (under $TESSERA_EMSCRIPTEN, default /opt/emscripten). Exits with 1 and prints nothing when there is neither.
set -uo pipefail
new_enough() {
  local emcc version dir
  emcc=$1
  [ -x "$emcc" ] || return 1
  dir=$(dirname "$(readlink -f "$emcc")")
  for version in "$dir" "$dir/../emscripten"; do  # read the version where it lies: starting emcc costs a third of a second
    [ -f "$version/emscripten-version.txt" ] && read -r version <"$version/emscripten-version.txt" && break
  done
  version=${version//\"/}
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]] || version=$("$emcc" -dumpversion 2>/dev/null)
  [[ $version =~ ^([0-9]+)\.([0-9]+)\.([0-9]+) ]] || return 1
  ((BASH_REMATCH[1] * 1000000 + BASH_REMATCH[2] * 1000 + BASH_REMATCH[3] >= 3001061))
}
for emcc in "$(command -v emcc)" "${TESSERA_EMSCRIPTEN:-/opt/emscripten}/bin/emcc"; do
  if new_enough "$emcc"; then dirname "$emcc"; exit 0; fi
done
exit 1
