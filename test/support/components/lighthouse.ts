import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';

export const lighthouse: Component = {
  name: 'lighthouse',
  version: npmPins('lighthouse').version,
  purpose: "Lighthouse's accessibility checks of the console's pages",
  whyMissing: () => undefined,
  install: async () => void (await npmPackages('lighthouse')),
};

/** What Lighthouse says of the accessibility of a page. */
interface AccessibilityReport {
  /** From 0 to 100. */
  readonly score: number;
  /** The audits that did not pass: what they want, and where. */
  readonly failed: readonly string[];
}

/** Lighthouse beside a browser. */
export interface RunningLighthouse {
  /** Looks at the page that the browser shows at this address, as it is now; one at a time. */
  check(url: string): Promise<AccessibilityReport>;
  stop(): Promise<void>;
}

/** Starts Lighthouse for the browser that is debugged on this port of the loopback interface. */
export async function startLighthouse(debuggingPort: number): Promise<RunningLighthouse> {
  const modules = await npmPackages('lighthouse');
  const program = fileURLToPath(new URL('lighthouse-process.js', import.meta.url));
  const child = fork(program, [modules, String(debuggingPort)], { execArgv: [] });
  const ended = once(child, 'exit');
  await answerOf(child);
  return {
    async check(url) {
      const answer = answerOf(child);
      child.send({ url });
      const report = (await answer) as AccessibilityReport & { readonly error?: string };
      if (report.error !== undefined) throw new Error(report.error);
      return report;
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const stopping = new AbortController();
  const { signal } = stopping;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([answer]) => answer),
      once(child, 'exit', { signal }).then(([status]) => {
        throw new Error(`Lighthouse ended with status ${status}`);
      }),
    ]);
  } finally {
    stopping.abort();
  }
}
