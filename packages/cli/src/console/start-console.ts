import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownNames } from 'batchlatch/operations';
import { checkOptionsOf } from '../tool-base/check-options.ts';
import { answerRequest } from './answer-request.ts';
import { consoleParts } from './console-parts.ts';
import { CONSOLE_CHECKS, type ConsoleOptions } from './options.ts';
import { SessionSecrets } from './session-secrets.ts';

/** A running console. */
export interface RunningConsole {
  /** The address with the sign-in token. */
  readonly url: string;
  /** The sign-in token. */
  readonly token: string;
  /** Returns the address with a single-use token, for command lines, which other users may see. */
  ticketUrl(): string;
  /** Stops the console: jobs finish what they have sent, and pages are disconnected. */
  stop(): Promise<void>;
}

/**
 * Starts the console: a server of pages that show claims and dead letters, and change them if allowed. By
 * default it listens on this machine only. Rejects if it cannot listen, and with a `ConfigurationError` for
 * invalid options.
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  checkOptionsOf('startConsole', options, CONSOLE_CHECKS);
  const { host = '127.0.0.1', port = 0 } = options;
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  const parts = consoleParts(options);
  const secrets = new SessionSecrets();
  const names = ownNames(host);
  const answering = new Set<Promise<void>>();
  server.on('request', (request, response) => {
    const answered = answerRequest(request, response, { parts, names, secrets });
    answering.add(answered);
    void answered.then(() => answering.delete(answered));
  });
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    await parts.jobs.stopAll();
    parts.stream.close();
    await parts.overview.rest();
    server.closeAllConnections();
    await closed;
    // Running requests must finish: a peek makes its messages visible again.
    await Promise.all(answering);
  };
  const address = (token: string): string => `http://${shownHost(host)}:${ownPort}/#token=${token}`;
  return {
    url: address(secrets.token),
    token: secrets.token,
    ticketUrl: () => address(secrets.addressTicket()),
    stop: () => (stopping ??= stop()),
  };
}

/** Formats a host for URLs. A browser cannot open the wildcard address. */
function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
