import { useEffect } from 'preact/hooks';
import { type ApiError, isPassing } from './client.ts';
import { connection, overview } from './live.ts';

const RETRY_EVERY_MS = 3_000;

/**
 * Reads again after an outage until there is an answer. While the server knows that the store is away, or is
 * away itself, nothing is asked: a read of a dead-letter queue would count as a receive each time.
 */
export function useRetry(error: ApiError | undefined, again: () => void, isLoading: boolean = false): void {
  const isOutage = error !== undefined && isPassing(error);
  useEffect(() => {
    if (!isOutage || isLoading) return undefined;
    const timer = setInterval(() => {
      if (connection.get() === 'live' && overview.get()?.storeError === undefined) again();
    }, RETRY_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOutage, again, isLoading]);
}
