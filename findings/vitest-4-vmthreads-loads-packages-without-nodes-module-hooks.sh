#!/usr/bin/env bash
# vitest 4.1.12, Node 20.
#
# A module that Node preloads (`--import`) and that registers hooks with module.register() sees what a test file imports
# from node_modules where vitest runs it in forks. With the pool vmThreads it sees nothing: vitest itself loads external
# packages for the VM context, and Node's hooks, which other tools rely on for instrumentation, are passed by without a
# word.
#
# Seen on 2026-11-29 (imports of the package `ms` that the hook saw):
#   forks: 1
#   vmThreads: 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund vitest@4.1.12 ms@2.1.3
cat > hooks.mjs <<'J'
import { appendFileSync } from 'node:fs';
export async function resolve(name, context, next) {
  if (name === 'ms' || name.includes('/node_modules/ms/')) appendFileSync(process.env.SEEN, 'ms\n');
  return next(name, context);
}
J
cat > preload.mjs <<'J'
import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);
J
cat > ms.test.js <<'J'
import ms from 'ms';
import { expect, test } from 'vitest';
test('a minute', () => expect(ms('1m')).toBe(60000));
J
for pool in forks vmThreads; do
  : > "$pool.seen"
  SEEN="$folder/$pool.seen" NODE_OPTIONS="--import $folder/preload.mjs" npx vitest run --pool="$pool" > "$pool.log" 2>&1
  grep -q '1 passed' "$pool.log"
  echo "$pool: $(wc -l < "$pool.seen")"
done
[ -s forks.seen ] && [ ! -s vmThreads.seen ]
