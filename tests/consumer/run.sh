#!/usr/bin/env bash
# Installs a build of Tessera under a temporary prefix, builds the consumer project against it and checks what that prints.
#   usage: tests/consumer/run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cmake --install "$build" --prefix "$temp/prefix" >"$temp/install.log" || { cat "$temp/install.log"; exit 1; }
cmake -S "$here" -B "$temp/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$temp/prefix" >"$temp/configure.log" 2>&1 || { cat "$temp/configure.log"; exit 1; }
cmake --build "$temp/consumer" || exit 1
output=$("$temp/consumer/consumer")
echo "$output"
[ "$output" = "11 22 33" ] || { echo "consumer: wanted '11 22 33'"; exit 1; }
