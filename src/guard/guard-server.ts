import type { RequestListener, Server, ServerResponse } from 'node:http';
import { isFromForeignPage, isLoopback, ownNames } from './own-names.ts';

/**
 * Adds a check before the server's current request listeners. Requests from web pages get 403 without CORS
 * headers, so that no page in a browser can use a server of this machine. A page whose name was made to
 * resolve to this address (DNS rebinding) is recognised by its `Host` header.
 *
 * A server that listens beyond loopback has names that only its network knows, so its `Host` is not checked.
 *
 * @param server The server, with its request listeners.
 * @param host The host on which the server listens.
 * @param allowedHosts More names of the server.
 */
export function guardServer(server: Server, host: string, allowedHosts?: readonly string[]): void {
  const listeners = server.listeners('request') as RequestListener[];
  const names = ownNames(host, allowedHosts);
  // Every browser sends `Host`; a health check over HTTP/1.0 may not.
  const isForeignHost = (given: string | undefined): boolean =>
    isLoopback(host) && given !== undefined && !names.isOwnHost(given);
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const isForeign = isForeignHost(request.headers.host);
    if (isForeign || isFromForeignPage(request.headers, names)) {
      request.resume();
      refuse(response, isForeign ? FOREIGN_HOST : FOREIGN_PAGE);
    } else {
      for (const listener of listeners) listener.call(server, request, response);
    }
  });
}

const FOREIGN_HOST =
  'The Host header is not one of this server: address it as 127.0.0.1 or localhost. ' +
  'Any other name may be a web page that was made to resolve to this address.';
const FOREIGN_PAGE = 'Web pages may not use this server; programs may, without an Origin header.';

/** Responds like an AWS service, so that the AWS SDK shows the message. */
function refuse(response: ServerResponse, message: string): void {
  response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException', message }));
}
