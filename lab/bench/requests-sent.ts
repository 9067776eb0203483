import { subscribe } from 'node:diagnostics_channel';

let sent = 0;
// Node tells of every HTTP request at the same cost, whoever sends it; no client has to be changed.
subscribe('http.client.request.start', () => {
  sent += 1;
});

/** To be called for each statement or command of a client that does not speak HTTP. */
export function noteRequest(): void {
  sent += 1;
}

/** How many HTTP requests, statements of PostgreSQL and commands of Redis this process has sent. */
export function requestsSent(): number {
  return sent;
}
