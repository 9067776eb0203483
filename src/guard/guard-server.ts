import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type ForeignRequest, foreignRequest } from './foreign-request.ts';
import { isLoopback, ownNames } from './own-names.ts';

/**
 * Puts a check before the request listeners that the server has now: requests of web pages get 403 and no
 * CORS headers, so that no page in a browser can use a server of this machine.
 *
 * A server that listens beyond loopback is reached by names that only its network knows, so its `Host` is
 * not checked.
 *
 * @param server The server, with its request listeners.
 * @param host What the server listens on.
 * @param allowedHosts Further names by which the server may be addressed.
 */
export function guardServer(server: Server, host: string, allowedHosts?: readonly string[]): void {
  const listeners = server.listeners('request') as RequestListener[];
  const names = ownNames(host, allowedHosts);
  const guarded = isLoopback(host) ? names : { ...names, isOwnHost: () => true };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const foreign = foreignRequest(request.headers, guarded);
    if (foreign === undefined) {
      for (const listener of listeners) listener.call(server, request, response);
      return;
    }
    request.resume();
    refuse(response, foreign);
  });
}

const MESSAGES: Readonly<Record<ForeignRequest, string>> = {
  'foreign-host':
    'Address this server as 127.0.0.1 or localhost: any other name may be that of a web page that was made to resolve here.',
  'foreign-page': 'Web pages may not use this server; programs may, without an Origin header.',
};

/** As services of AWS refuse, so that their SDKs show the message. */
function refuse(response: ServerResponse, foreign: ForeignRequest): void {
  response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException', message: MESSAGES[foreign] }));
}
