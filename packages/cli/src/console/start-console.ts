import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownNames } from 'batchlatch/operations';
import { checkOptionsOf } from '../tool-base/check-options.ts';
import { answerRequest } from './answer-request.ts';
import { consoleParts } from './console-parts.ts';
import { CONSOLE_CHECKS, type ConsoleOptions } from './options.ts';
import { SessionSecrets } from './session-secrets.ts';

/** A console that runs. */
export interface RunningConsole {
  /** Its address, with the token that lets a browser in. */
  readonly url: string;
  /** What lets a browser in. */
  readonly token: string;
  /** Its address with a token that is taken once, for command lines, which other users of the machine may see. */
  ticketUrl(): string;
  /** Stops: jobs end after what they have sent, and pages are told nothing more. */
  stop(): Promise<void>;
}

/**
 * Starts the console: a server of pages that show claims and dead letters, and change them where that is allowed. It listens on this
 * machine alone unless told otherwise. Rejects where it cannot listen; throws a `ConfigurationError` for options that cannot
 * work.
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
    // Such as a look at a queue, which shows its messages again.
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

/** As URLs have it. A browser cannot open the address that stands for every address. */
function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
