import { subscribe } from 'node:diagnostics_channel';

let sent = 0;
// Node tells of every request at the same cost, whoever sends it; no client has to be changed.
subscribe('http.client.request.start', () => {
  sent += 1;
});

/** How many HTTP requests this process has started. */
export function requestsSent(): number {
  return sent;
}
