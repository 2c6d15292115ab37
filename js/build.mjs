// Assembles the npm package in build/npm from js/src, js/generated and the WebAssembly variants in build/wasm.
//
//   node js/build.mjs [--sizes]          --sizes: also prints each file's size, raw and brotli
//
// Entries (bundled by esbuild, without code of anybody else in them):
//   index.mjs       from src/index.mjs   ESM; ready after `await tf.ready()`, fetches the best variant
//   sync.mjs        from src/sync.mjs    ESM; works from the first line, plain SIMD embedded
//   index.cjs       from src/sync.mjs    the same as CommonJS
//   tessera.min.js  from src/sync.mjs    the same for <script>: defines `tf`
//
// What the sources may import besides their own files:
//   'tessera:glue'             default export createModule({ instantiateWasm, ... }): the glue of the variants without threads. It is
//                              synchronous; instantiateWasm(imports, done) must call done(instance, module) and return instance.exports.
//   'tessera:embedded'         wasmBytes(): the plain SIMD module as a Uint8Array. Part of the synchronous entries; a file of its own
//                              beside index.mjs, so import it there with import() only.
//   './tessera-threads.mjs'    with import(): the glue of both variants with threads; each worker runs it too.
// and name the modules by literal: new URL('./tessera-<variant>.wasm', import.meta.url) with variant scalar, simd, relaxed,
// simd-threads or relaxed-threads. Bundlers find them so. In CommonJS and <script>, import.meta.url is the script's own address.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, copyFileSync, cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const out = join(root, 'build/npm');
const wasm = (variant, ext) => join(root, 'build/wasm', variant, 'bin', `tessera-${variant}.${ext}`);
const plain = ['scalar', 'simd', 'relaxed'];
const threaded = ['simd-threads', 'relaxed-threads'];
const version = readFileSync(join(root, 'CMakeLists.txt'), 'utf8').match(/project\(tessera VERSION ([\d.]+)/)[1];

function fail(message) {
  console.error(`js/build: ${message}`);
  process.exit(1);
}

/** The glue that the variants share, after making sure that they do: what they import by name must be the same. */
function sharedGlue(variants) {
  const glue = variants.map((v) => readFileSync(wasm(v, 'mjs'), 'utf8').replaceAll(`tessera-${v}`, 'tessera-VARIANT'));
  variants.forEach((v, i) => {
    if (glue[i] !== glue[0]) fail(`the glue of ${v} differs from that of ${variants[0]}; they must be the same`);
  });
  if (/\beval\(|new Function\(/.test(glue[0])) fail('the glue evaluates text, which a Content-Security-Policy forbids');
  return glue[0];
}

/**
 * A JavaScript string literal whose characters are the bytes. In UTF-8 most bytes stay one byte, and brotli undoes the rest: the
 * compressed script costs what the compressed module costs (base64 would cost 43% more).
 */
function literal(bytes) {
  const special = { 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };
  const parts = new Array(bytes.length);
  for (let i = 0; i < bytes.length; ++i) {
    const b = bytes[i];
    // NUL is spelled out, for tools that stop at it; \0 must not be followed by a digit
    parts[i] = special[b] ?? (b === 0 ? (bytes[i + 1] >= 48 && bytes[i + 1] <= 57 ? '\\x00' : '\\0') : String.fromCharCode(b));
  }
  return `"${parts.join('')}"`;
}

const placeholder = '"@tessera-wasm@"';
/** Source of the embedded module; `placeholder` becomes the literal after bundling, which would escape it anew. */
const embeddedSource = `
const text = ${placeholder};
// A page without a character set may read this file as windows-1252; every byte can still be told.
const high = [8364, 129, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 141, 381, 143, 144, 8216, 8217, 8220, 8221, 8226, 8211, 8212, 732, 8482, 353, 8250, 339, 157, 382, 376];  // what its bytes 128 to 159 mean
export function wasmBytes() {
  let s = text;
  if (s.length !== SIZE) {
    const raw = new Uint8Array(s.length);
    for (let i = 0; i < s.length; ++i) {
      const at = high.indexOf(s.charCodeAt(i));
      raw[i] = at >= 0 ? 128 + at : s.charCodeAt(i);
    }
    s = new TextDecoder().decode(raw);
    if (s.length !== SIZE) throw new Error('tessera: the script was changed on its way here; serve it as UTF-8');
  }
  const bytes = new Uint8Array(SIZE);
  for (let i = 0; i < SIZE; ++i) bytes[i] = s.charCodeAt(i);
  return bytes;
}
`;

for (const variant of [...plain, ...threaded]) {
  if (!existsSync(wasm(variant, 'wasm'))) fail(`build/wasm/${variant} is not built; run tools/build-wasm.sh`);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const embeddedBytes = readFileSync(wasm('simd', 'wasm'));
const embeddedLiteral = literal(embeddedBytes);
const embeddedModule = embeddedSource.replaceAll('SIZE', String(embeddedBytes.length));
const glue = sharedGlue(plain);

/** Resolves the two virtual modules; `embed` puts the embedded module into the bundle. */
const virtualModules = (embed) => ({
  name: 'tessera',
  setup(build) {
    build.onResolve({ filter: /^tessera:glue$/ }, () => ({ path: 'glue', namespace: 'tessera' }));
    build.onResolve({ filter: /^tessera:embedded$/ }, () =>
      embed ? { path: 'embedded', namespace: 'tessera' } : { path: './tessera-embedded.mjs', external: true });
    build.onResolve({ filter: /^(\.\.?\/)*tessera-(threads|embedded)\.mjs$/ }, (args) => ({ path: './' + args.path.replace(/^(\.\.?\/)*/, ''), external: true }));
    build.onLoad({ filter: /.*/, namespace: 'tessera' }, (args) => ({
      contents: args.path === 'glue' ? glue.replaceAll('tessera-VARIANT', 'tessera-simd') : embeddedModule, loader: 'js',
    }));
  },
});

// the address of the script itself, for formats that have no import.meta
const scriptUrl = `var tessera_script_url = typeof document !== 'undefined' && document.currentScript ? document.currentScript.src
  : typeof __filename === 'string' && typeof process === 'object' && process.versions && process.versions.node ? require('url').pathToFileURL(__filename).href
  : typeof location !== 'undefined' ? location.href : 'file:///';`;

async function bundle(entry, file, format, extra = {}) {
  const source = join(here, 'src', entry);
  if (!existsSync(source)) return console.warn(`js/build: no js/src/${entry} yet, so no ${file}`);
  const script = format !== 'esm';
  const result = await esbuild.build({
    entryPoints: [source], bundle: true, write: false, format, charset: 'utf8', target: 'es2020', platform: 'neutral', minify: true,
    lineLimit: 160,  // Node prints the whole line of an uncaught error
    mainFields: ['module', 'main'], external: ['node:*', 'webgpu'], legalComments: 'none', logLevel: 'warning',
    plugins: [virtualModules(entry === 'sync.mjs')],
    ...(script && { define: { 'import.meta.url': 'tessera_script_url' }, banner: { js: scriptUrl } }),
    ...extra,
  });
  const code = result.outputFiles[0].text;
  if (/\beval\(|new Function\(/.test(code)) fail(`${file} evaluates text, which a Content-Security-Policy forbids`);
  // Imports whose name is no literal are of Node's own modules (src/platform.mjs): bundlers for browsers must leave them alone, and the
  // comments that say so do not survive the minifier.
  const marked = code.replace(/\bimport\((?=[A-Za-z_$])/g, 'import(/*webpackIgnore:true*//*@vite-ignore*/');
  writeFileSync(join(out, file), marked.replace(/(["'`])@tessera-wasm@\1/g, () => embeddedLiteral));
}

await bundle('index.mjs', 'index.mjs', 'esm');
await bundle('sync.mjs', 'sync.mjs', 'esm');
await bundle('sync.mjs', 'index.cjs', 'cjs');
await bundle('sync.mjs', 'tessera.min.js', 'iife', { globalName: 'tf' });
writeFileSync(join(out, 'tessera-embedded.mjs'), embeddedModule.replace(placeholder, () => embeddedLiteral));

/** Replaces exactly what is meant to be there: a new Emscripten whose glue reads differently must not slip through. */
function patch(text, from, to) {
  const parts = text.split(from);
  if (parts.length === 1) fail(`the glue with threads has no ${from}: Emscripten changed, see to js/build.mjs`);
  return parts.join(to);
}
let threads = sharedGlue(threaded);
// Node's modules: a bundler for browsers must leave these imports alone. The minifier would drop the comments that say so, hence the stand-ins.
const hidden = (name) => `tessera_import_${name}()`;
threads = patch(threads, 'import("module")', hidden('module'));
// The worker runs this same file; bundlers want its options spelled out in the call.
threads = patch(threads, 'new Worker(new URL("tessera-VARIANT.mjs",import.meta.url),workerOptions)',
                'new Worker(new URL("./tessera-threads.mjs",import.meta.url),{type:"module",workerData:"em-pthread",name:"em-pthread"})');
// The host hands the module over, so no address of it must be here for a bundler to copy.
threads = patch(threads, 'new URL("tessera-VARIANT.wasm",import.meta.url).href', '""');
// No top-level await.
threads = patch(threads, "if (isNode) isPthread = (await import('worker_threads')).workerData === 'em-pthread';",
                `if (isNode) ${hidden('worker_threads')}.then((w) => w.workerData === 'em-pthread' && Module());`);
threads = threads.replaceAll('tessera-VARIANT', 'tessera-threads');
const minified = await esbuild.transform(threads, { minify: true, format: 'esm', target: 'es2020', legalComments: 'none' });
writeFileSync(join(out, 'tessera-threads.mjs'),
              minified.code.replace(/tessera_import_(\w+)\(\)/g, (_, name) => `import(/*webpackIgnore:true*//*@vite-ignore*/["${name}"][0])`));
for (const variant of [...plain, ...threaded]) copyFileSync(wasm(variant, 'wasm'), join(out, `tessera-${variant}.wasm`));

// --- types: src/*.d.ts and generated/*.d.ts keep their places relative to each other --------------------------------------------
for (const folder of ['src', 'generated']) {
  if (!existsSync(join(here, folder))) continue;
  for (const file of readdirSync(join(here, folder), { recursive: true }).filter((f) => f.endsWith('.d.ts'))) {
    mkdirSync(dirname(join(out, 'types', folder, file)), { recursive: true });
    cpSync(join(here, folder, file), join(out, 'types', folder, file));
  }
}

const types = './types/src/index.d.ts';
writeFileSync(join(out, 'package.json'), JSON.stringify({
  name: 'tessera-ml',
  version,
  description: "Machine learning on the user's own device: the tf.* API and its model files on one C++ engine (WebAssembly, WebGPU, WebGL)",
  license: 'Apache-2.0',
  keywords: ['machine-learning', 'tensorflow', 'tfjs', 'webassembly', 'webgpu', 'inference', 'training'],
  main: './index.cjs',
  module: './index.mjs',
  types,
  unpkg: './tessera.min.js',
  jsdelivr: './tessera.min.js',
  exports: {
    '.': { types, import: './index.mjs', require: './index.cjs', default: './index.mjs' },
    './sync': { types, import: './sync.mjs', require: './index.cjs', default: './sync.mjs' },
    './package.json': './package.json',
    './*': './*',
  },
  engines: { node: '>=18' },
}, null, 2) + '\n');
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
copyFileSync(existsSync(join(here, 'README.md')) ? join(here, 'README.md') : join(root, 'README.md'), join(out, 'README.md'));

if (process.argv.includes('--sizes')) {
  for (const file of readdirSync(out).filter((f) => statSync(join(out, f)).isFile())) {
    const bytes = readFileSync(join(out, file));
    console.log(`${file.padEnd(32)} ${String(bytes.length).padStart(9)} ${String(brotliCompressSync(bytes).length).padStart(9)} brotli`);
  }
}
console.log(`js/build: build/npm is ready (tessera-ml ${version})`);
