import { subscribe, unsubscribe } from 'node:diagnostics_channel';

let sent = 0;

/** To be called for each statement or command of a client that does not speak HTTP. */
export function noteRequest(): void {
  sent += 1;
}

/**
 * Counts the HTTP requests, statements of PostgreSQL and commands of Redis that this process sends meanwhile. Not to be used around
 * what is timed: Node tells of every HTTP request at the same cost, whoever sends it, but batchlatch's own sockets give way to
 * Node's client as long as somebody listens.
 */
export async function countRequests(work: () => Promise<unknown>): Promise<number> {
  const before = sent;
  subscribe('http.client.request.start', noteRequest);
  try {
    await work();
  } finally {
    unsubscribe('http.client.request.start', noteRequest);
  }
  return sent - before;
}
