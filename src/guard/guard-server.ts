import type { RequestListener, Server, ServerResponse } from 'node:http';
import { isFromForeignPage, isLoopback, ownNames } from './own-names.ts';

/**
 * Puts a check before the request listeners that the server has now: requests of web pages get 403 and no
 * CORS headers, so that no page in a browser can use a server of this machine. A page whose own name was made to
 * resolve to this address sends that name as `Host`.
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
  // Every browser sends `Host`; a health check by HTTP/1.0 may not.
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
  'Address this server as 127.0.0.1 or localhost: any other name may be that of a web page that was made to resolve here.';
const FOREIGN_PAGE = 'Web pages may not use this server; programs may, without an Origin header.';

/** As services of AWS refuse, so that their SDKs show the message. */
function refuse(response: ServerResponse, message: string): void {
  response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException', message }));
}
