// A headless Chromium with a fresh profile, and what its renderer costs: CPU time and memory, from /proc.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kFlags = ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
                '--disable-sync', '--disable-dev-shm-usage'];

export const chromiumPath = () => [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));

const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
const entries = (path) => { try { return readdirSync(path); } catch { return []; } };

function descendants(pid) {
  const children = new Map();
  for (const p of entries('/proc').filter((d) => /^\d+$/.test(d))) {
    const stat = read(`/proc/${p}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(p)]);
  }
  const all = [];
  for (const queue = [pid]; queue.length;) {
    const found = children.get(queue.pop()) ?? [];
    all.push(...found);
    queue.push(...found);
  }
  return all;
}

/** Browsers that still run: they end with this process. */
const running = new Set();
process.on('exit', () => { for (const b of running) b.kill(); });

export class Browser {
  /** A browser at `url` that nothing steers or watches. */
  static start(url, extra = []) {
    const self = new Browser();
    self.profile = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
    self.process = spawn(chromiumPath(), [...kFlags, ...extra, `--user-data-dir=${self.profile}`, url], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    running.add(self);
    return self;
  }

  /** A browser whose pages can be driven. */
  static async launch() {
    const { chromium } = await import('playwright-core');
    const self = Browser.start('about:blank', ['--remote-debugging-port=0']);
    const endpoint = await new Promise((resolve, reject) => {
      let text = '';
      self.process.stderr.on('data', (d) => {
        text += d;
        const m = /DevTools listening on (ws:\S+)/.exec(text);
        if (m) resolve(m[1]);
      });
      self.process.once('exit', () => reject(new Error(`Chromium ended:\n${text}`)));
    });
    self.browser = await chromium.connectOverCDP(endpoint);
    return self;
  }

  /** Opens a page; what it prints as an error, and errors that nobody catches, gather in `errors`. */
  async open(url) {
    const context = this.browser.contexts()[0];
    const page = context.pages()[0] ?? await context.newPage();
    this.errors = [];
    page.on('pageerror', (e) => this.errors.push(String(e)));
    page.on('console', (m) => { if (m.type() === 'error') this.errors.push(m.text()); });
    await page.goto(url);
    return page;
  }

  renderers() { return descendants(this.process.pid).filter((p) => read(`/proc/${p}/cmdline`).includes('--type=renderer')); }

  /** CPU milliseconds so far of each renderer: its main thread's, or all its threads'. */
  cpu(allThreads) {
    const ms = new Map();
    for (const pid of this.renderers()) {
      const threads = allThreads ? entries(`/proc/${pid}/task`) : [pid];
      ms.set(pid, threads.reduce((t, k) => t + Number(read(`/proc/${pid}/task/${k}/schedstat`).split(' ')[0]), 0) / 1e6);
    }
    return ms;
  }

  /** Peak resident memory of the largest renderer, in MB. */
  peakMemory() {
    return Math.max(...this.renderers().map((p) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${p}/status`))?.[1] ?? 0) / 1024));
  }

  /** Ends all its processes and removes the profile. */
  kill() {
    running.delete(this);
    try { process.kill(-this.process.pid, 'SIGKILL'); } catch { /* already gone */ }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async close() {
    const gone = new Promise((resolve) => this.process.exitCode === null ? this.process.once('exit', resolve) : resolve());
    await this.browser?.close().catch(() => {});
    try { process.kill(-this.process.pid, 'SIGKILL'); } catch { /* already gone */ }
    await gone;
    this.kill();
  }
}
