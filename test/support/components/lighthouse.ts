import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';

export const lighthouse: Component = {
  name: 'lighthouse',
  version: npmPins('lighthouse').version,
  purpose: "Lighthouse's audits of the pages of the console and of the site",
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

/** What Lighthouse says of the load of a page: a score from 0 to 100 for each category, and what lowers them. */
export interface LoadReport {
  readonly scores: Readonly<Record<'accessibility' | 'best-practices' | 'seo', number>>;
  readonly failed: readonly string[];
  readonly requests: number;
  /** As transferred, headers included. */
  readonly kilobytes: number;
  /** Cumulative: how much of what is seen moves while it loads; 0 is nothing, over 0.1 needs improvement. */
  readonly layoutShift: number;
}

/** Lighthouse beside a browser. */
export interface RunningLighthouse {
  /** Looks at the page that the browser shows at this address, as it is now; one at a time. */
  check(url: string): Promise<AccessibilityReport>;
  /** Loads an address in a tab of its own, as a phone; one at a time. */
  load(url: string): Promise<LoadReport>;
  stop(): Promise<void>;
}

/** Starts Lighthouse for the browser that is debugged on this port of the loopback interface. */
export async function startLighthouse(debuggingPort: number): Promise<RunningLighthouse> {
  const modules = await npmPackages('lighthouse');
  const program = fileURLToPath(new URL('lighthouse-process.js', import.meta.url));
  const child = fork(program, [modules, String(debuggingPort)], { execArgv: [] });
  const ended = once(child, 'exit');
  await answerOf(child);
  const ask = async <Report>(question: object): Promise<Report> => {
    const answer = answerOf(child);
    child.send(question);
    const report = (await answer) as Report & { readonly error?: string };
    if (report.error !== undefined) throw new Error(report.error);
    return report;
  };
  return {
    check: (url) => ask<AccessibilityReport>({ url }),
    load: (url) => ask<LoadReport>({ url, loads: true }),
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
