import { afterEach } from '@jest/globals';
import type { ClaimAdmin, ClaimCountQuery, ClaimQuery } from 'batchlatch/operations';
import { replaced } from '../../../../test/support/replaced.ts';
import { type ConsoleBrowser, openConsole } from '../../../../test/support/console-browser.ts';
import {
  type ConsoleOfTest,
  type MemoryConsoleOptions,
  startMemoryConsole,
} from '../../../../test/support/console-server.ts';

/** A console with a browser that it has let in. */
export interface OpenConsole extends ConsoleBrowser {
  readonly server: ConsoleOfTest;
}

/** Consoles that are stopped after each test. */
export function consoles(): (options?: MemoryConsoleOptions) => Promise<OpenConsole> {
  const started: ConsoleOfTest[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop()));
  });
  return async (options) => {
    const server = await startMemoryConsole(options);
    started.push(server);
    return { ...(await openConsole(server.url)), server };
  };
}

/** For a console that no claim is needed in. */
export const EMPTY = { fill: async (): Promise<void> => undefined } as const;

/** A store with a part of its own, and what was asked of it. */
export interface WatchedStore {
  readonly store: ClaimAdmin;
  readonly lists: ClaimQuery[];
  readonly counts: ClaimCountQuery[];
}

/** Notes what is read. */
export function watched(store: ClaimAdmin): WatchedStore {
  const lists: ClaimQuery[] = [];
  const counts: ClaimCountQuery[] = [];
  const noting = replaced(store, {
    list(query, options) {
      lists.push(query);
      return store.list(query, options);
    },
    count(query, options) {
      counts.push(query);
      return store.count(query, options);
    },
  });
  return { store: noting, lists, counts };
}
