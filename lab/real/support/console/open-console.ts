import { inDynamoDB, type StoreAndAdmin } from '../../../../test/support/store-and-admin.ts';
import { type Claim } from 'batchlatch/operations';
import type { Page } from 'playwright-core';
import type { ConsoleOptions } from '../../../../packages/cli/src/console/options.ts';
import { type RunningConsole, startConsole } from '../../../../packages/cli/src/console/start-console.ts';
import { createClaimsTable, emulatorClient } from '../../../../test/support/claims-table.ts';
import { builtApp } from './built-app.ts';
import { put } from './claims.ts';
import { until } from '../until.ts';

/** A console on a claims table of its own. */
export interface ConsoleOfTest {
  readonly store: StoreAndAdmin;
  /** Of the server that runs now. */
  readonly url: string;
  /** Opens a path of the console as a person does: with the address that the terminal prints, then on. */
  open(page: Page, path?: string): Promise<void>;
  /** Ends the server, and leaves the table. */
  stopServer(): Promise<void>;
  /** Starts another on the same port, with these options changed. */
  startServer(changed?: ServerOptions): Promise<void>;
  /** Both. */
  restart(changed?: ServerOptions): Promise<void>;
  stop(): Promise<void>;
}

type ServerOptions = Partial<ConsoleOptions> & { readonly store?: StoreAndAdmin };

export interface ConsoleOfTestOptions extends ServerOptions {
  /** Of a DynamoDB. */
  readonly endpoint: string;
  readonly claims?: readonly Claim[];
}

/** Makes a claims table with the index and these claims, and starts a console that allows changes. */
export async function openConsole({
  endpoint,
  claims = [],
  ...given
}: ConsoleOfTestOptions): Promise<ConsoleOfTest> {
  const client = emulatorClient(endpoint);
  const tableName = await createClaimsTable(client, { leaseUntil: 'leaseUntil' });
  const clock = given.clock === undefined ? {} : { clock: given.clock };
  const store = given.store ?? inDynamoDB({ tableName, client, overdueIndex: true, ...clock });
  await put(store, claims);
  const appFolder = await builtApp();
  let port = given.port ?? 0;
  let server: RunningConsole | undefined;
  let options = given;
  const startServer = async (changed: ServerOptions = {}): Promise<void> => {
    options = { ...options, ...changed };
    server = await startConsole({
      store,
      place: 'table claims',
      operator: 'pat@desk',
      allowChanges: true,
      version: '1.2.3',
      ...options,
      appFolder,
      port,
    });
    port = Number(new URL(server.url).port);
  };
  await startServer();
  const stopServer = async (): Promise<void> => {
    await server?.stop();
  };
  const url = (): string => server?.url ?? '';
  return {
    store,
    get url() {
      return url();
    },
    async open(page, path = '/') {
      await page.goto(url());
      await signedIn(page);
      if (path !== '/') await page.goto(new URL(path, url()).href);
    },
    stopServer,
    startServer,
    async restart(changed) {
      await stopServer();
      await startServer(changed);
    },
    async stop() {
      await stopServer();
      client.destroy();
    },
  };
}

/**
 * Resolves when a page has taken the token out of its address, which it does once it is let in or refused. The address is asked for
 * from outside: a function that waits inside of the page would be refused by its content security policy.
 */
async function signedIn(page: Page): Promise<void> {
  await until('the page is let in or refused', () => !new URL(page.url()).hash.includes('token'));
}
