import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { FAULTS } from '../../site/simulation/faults.ts';
import { runFault } from '../../site/simulation/run-fault.ts';
import { ADVISED, refusalOf } from '../../site/settings/settings.ts';
import type * as core from '../../src/core.ts';
import type { BatchEvent } from '../../src/observe/observer.ts';
import type { memoryStore } from '../../src/stores/memory/memory-store.ts';
import { kinesisEvent, lambdaContext } from '../../src/testing/index.ts';

const SITE = path.resolve('site');
/** What the code of the live parts takes that is not of the language: nothing of Node. */
const OF_BROWSERS = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'MessageChannel',
  'TextDecoder',
  'TextEncoder',
  'clearTimeout',
  'crypto',
  'performance',
  'queueMicrotask',
  'setTimeout',
] as const;

type Exports = Pick<typeof core, 'allSources' | 'createBatchProcessor' | 'payloadHash'> & {
  readonly memoryStore: typeof memoryStore;
  readonly refusalOf: typeof refusalOf;
  readonly runFault: typeof runFault;
};

/** The code of the live parts as the site's bundler makes it, in a realm that has what browsers have. */
async function inBrowser(): Promise<Exports> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import './browser/node-globals.ts';
        export { runFault } from './simulation/run-fault.ts';
        export { refusalOf } from './settings/settings.ts';
        export { allSources, createBatchProcessor, payloadHash } from '../src/core.ts';
        export { memoryStore } from '../src/stores/memory/memory-store.ts';`,
      resolveDir: SITE,
    },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'site',
    tsconfigRaw: {},
    write: false,
    plugins: [
      {
        name: 'node-builtins',
        setup({ onResolve }) {
          onResolve({ filter: /^node:/ }, () => ({ path: path.join(SITE, 'browser/node-builtins.ts') }));
        },
      },
    ],
  });
  const realm = createContext(Object.fromEntries(OF_BROWSERS.map((name) => [name, globalThis[name]])));
  runInContext(outputFiles[0]?.text ?? '', realm);
  return (realm as { site: Exports }).site;
}

describe('The live parts of the site, without Node', () => {
  let site: Exports;
  beforeAll(async () => {
    site = await inBrowser();
  });

  it.each(FAULTS)('run the simulation as Node does: $name', async (fault) => {
    const [there, here] = await Promise.all([site.runFault(fault), runFault(fault)]);
    expect(JSON.parse(JSON.stringify(there))).toEqual(JSON.parse(JSON.stringify(here)));
  });

  it('refuse settings in the words of the library', () => {
    const settings = { ...ADVISED, leaseSeconds: -1 };
    expect(site.refusalOf(ADVISED)).toBeUndefined();
    expect(site.refusalOf(settings)).toBe(refusalOf(settings));
  });

  it.each([
    ['an error', new RangeError('The card was declined')],
    ['a text', 'The card was declined'],
  ])('hand back the record whose handler threw %s', async (_, thrown) => {
    const events: BatchEvent[] = [];
    const processor = site.createBatchProcessor<{ order: number }>(
      ({ body }) => {
        if (body.order === 2) throw thrown;
      },
      {
        source: site.allSources(),
        store: site.memoryStore(),
        namespace: 'playground',
        key: site.payloadHash(),
        observer: { onEvent: (event) => events.push(event) },
      },
    );
    const event = kinesisEvent([{ body: { order: 1 } }, { body: { order: 2 }, sequenceNumber: '2' }]);
    const response = await processor(event, lambdaContext());
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    const failed = events.find((event) => event.type === 'failed');
    expect(String(failed?.error)).toContain('The card was declined');
  });
});
