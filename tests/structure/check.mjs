// Keeps the shape of the source tree: the order of the folders, the size of files, and words that do not belong here.
//
//   node tests/structure/check.mjs [ROOT]
//
// Prints each fault as "file:line: what is wrong", then "N passed, N failed" (one check a rule). Exit status 1 on any fault.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'));

// What each folder under src/ may include besides itself. Ops never see backends; backends never see ops.
const uses = {
  base: [],
  core: ['base'],
  ir: ['base', 'core'],
  simd: ['base', 'core', 'ir'],
  emit: ['base', 'core', 'ir'],
  ops: ['base', 'core', 'ir', 'simd'],
  graph: ['base', 'core', 'ir', 'simd', 'ops', 'emit'],
  runtime: ['base', 'core', 'ir', 'simd', 'ops', 'emit', 'graph'],
  backends: ['base', 'core', 'ir', 'simd', 'emit', 'graph', 'runtime'],
  formats: ['base', 'core', 'ir', 'simd', 'ops', 'emit', 'graph', 'runtime'],
  layers: ['base', 'core', 'ir', 'simd', 'ops', 'emit', 'graph', 'runtime'],
  capi: ['base', 'core', 'ir', 'simd', 'ops', 'emit', 'graph', 'runtime', 'backends', 'formats', 'layers'],
};
const maxLines = 700;  // longer files hold more than one idea
const generated = /generated|package-lock\.json$|LICENSE$/;

/** Every file that git tracks or would track. */
function tracked() {
  if (existsSync(join(root, '.git'))) {
    const out = execFileSync('git', ['-C', root, 'ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 });
    return out.split('\n').filter((f) => f && existsSync(join(root, f)));
  }
  const found = [];
  const walk = (dir) => {
    for (const entry of readdirSync(join(root, dir), { withFileTypes: true })) {
      const path = dir ? `${dir}/${entry.name}` : entry.name;
      if (entry.isDirectory()) {
        if (!/^(build|node_modules|\.git)$/.test(entry.name)) walk(path);
      } else {
        found.push(path);
      }
    }
  };
  walk('');
  return found;
}

const files = tracked();
const text = new Map();
for (const file of files) {
  if (/\.(h|cc|mjs|cjs|js|ts|json|md|txt|cmake|in|sh|html|css|py|wgsl|glsl)$|^(Makefile|\.ci\/run)$/.test(file) && statSync(join(root, file)).size < 4e6) {
    text.set(file, readFileSync(join(root, file), 'utf8'));
  }
}

const rules = {
  'no folder under src/ includes upwards'(fault) {
    for (const [file, content] of text) {
      const folder = file.match(/^src\/([^/]+)\/.*\.(h|cc)$/)?.[1];
      if (!folder) continue;
      if (!uses[folder]) {
        fault(file, 1, `src/${folder} is not in the order of folders`);
        continue;
      }
      content.split('\n').forEach((line, i) => {
        const included = line.match(/^\s*#\s*include\s*"([^"]+)"/)?.[1];
        if (!included) return;
        if (included.startsWith('../')) fault(file, i + 1, 'includes are relative to src/, not "../"');
        const target = included.match(/^([^/]+)\//)?.[1];
        if (target && target in uses && target !== folder && !uses[folder].includes(target)) {
          fault(file, i + 1, `src/${folder} must not include "${included}"`);
        }
      });
    }
  },
  'public headers include no header of src/'(fault) {
    for (const [file, content] of text) {
      if (!file.startsWith('include/')) continue;
      content.split('\n').forEach((line, i) => {
        const included = line.match(/^\s*#\s*include\s*"([^"]+)"/)?.[1];
        if (included && !included.startsWith('tessera/')) fault(file, i + 1, `a public header must not include "${included}"`);
      });
    }
  },
  'each header has #pragma once'(fault) {
    for (const [file, content] of text) {
      // a file that Highway includes once per instruction set has a guard of its own; tessera.h is C
      if (!/^(src|include)\/.*\.h$/.test(file) || /-inl\.h$/.test(file)) continue;
      if (!/#pragma once|#ifndef TESSERA_\w+|HWY_TARGET_TOGGLE/.test(content)) fault(file, 1, 'a header without #pragma once');
    }
  },
  [`no source file is over ${maxLines} lines`](fault) {
    for (const [file, content] of text) {
      if (!/\.(h|cc|mjs|cjs|js|ts|css|sh|cmake)$/.test(file) || generated.test(file) || /generated|Written by/i.test(content.slice(0, 300))) continue;
      const lines = content.split('\n').length - 1;
      if (lines > maxLines) fault(file, lines, `${lines} lines; split it`);
    }
  },
  'no paths or hosts of one machine'(fault) {
    // spelled in pieces, so that this file passes its own check
    const words = ['/wo' + 'rk/', '../sha' + 'red', 'registry.npm' + 'js', 'deb.deb' + 'ian.org', 'work' + 'shop', 'nodesour' + 'ce'];
    for (const [file, content] of text) {
      if (generated.test(file)) continue;
      const lower = content.toLowerCase();
      for (const word of words) {
        const at = lower.indexOf(word);
        if (at >= 0) fault(file, content.slice(0, at).split('\n').length, `must not mention "${word}"`);
      }
    }
  },
  'no fast-math'(fault) {
    for (const [file, content] of text) {
      if (/(^|\/)CMake|\.cmake$|Makefile|\.sh$/.test(file)) {
        content.split('\n').forEach((line, i) => {
          if (/-ffast-math|-Ofast|-funsafe-math/.test(line) && !line.trim().startsWith('#')) fault(file, i + 1, 'unsafe floating-point flags');
        });
      }
    }
  },
};

let failed = 0;
for (const [name, rule] of Object.entries(rules)) {
  let faults = 0;
  rule((file, line, message) => {
    ++faults;
    console.log(`${file}:${line}: ${message}`);
  });
  if (faults) {
    ++failed;
    console.log(`FAIL ${name}`);
  }
}
console.log(`${Object.keys(rules).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
