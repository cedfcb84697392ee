#!/usr/bin/env bash
# Installs the coding agents that the tests here run, each in a folder of its own: some 2 GB.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p installed && cd installed

install() {
  local folder=$1 package=$2
  mkdir -p "$folder"
  [ -f "$folder/package.json" ] || echo '{ "private": true }' > "$folder/package.json"
  (cd "$folder" && npm install --no-audit --no-fund --loglevel=error "$package")
  echo "installed $package"
}

install pi @earendil-works/pi-coding-agent@0.74.2
install claude @anthropic-ai/claude-code@2.1.330
install codex @openai/codex@0.169.0
install opencode opencode-ai@1.18.33
# These need a newer Node.
install node22 node@22
(PATH="$PWD/node22/node_modules/.bin:$PATH" install pi-0.87 @earendil-works/pi-coding-agent@0.87.1)
(PATH="$PWD/node22/node_modules/.bin:$PATH" install cline cline@3.0.65)
(PATH="$PWD/node22/node_modules/.bin:$PATH" install continue @continuedev/cli@1.5.47)
(PATH="$PWD/node22/node_modules/.bin:$PATH" install qwen @qwen-code/qwen-code@0.24.4)
