#!/usr/bin/env bash
# Runs the demo on a photo of the face-api package with two models of the human-models package (fetched by npm into
# tests/node_modules), or on a photo given as the first argument. Writes build/demo.png.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=tests/node_modules/@vladmandic
photo=${1:-$packages/face-api/demo/sample1.jpg}
build/release/bin/tessera-demo "$packages/human-models/models/centernet.json" "$packages/human-models/models/movenet-lightning.json" \
  "$photo" build/demo.png
