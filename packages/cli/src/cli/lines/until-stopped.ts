/** Yields the chunks of a stream; closes it once `signal` is aborted, without waiting for the next chunk. */
export async function* untilStopped<Chunk>(
  chunks: AsyncIterable<Chunk> & { destroy?(): unknown },
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]();
  const stop = { done: true, value: undefined } as const;
  let wake = (_result: typeof stop): void => undefined;
  const stopped = new Promise<typeof stop>((resolve) => {
    wake = resolve;
  });
  const onAbort = (): void => wake(stop);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    for (;;) {
      const next = iterator.next();
      next.catch(() => undefined); // rejects if the stream is closed after the race is over
      const { done, value } = await Promise.race([stopped, next]);
      if (done === true) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    chunks.destroy?.();
  }
}
