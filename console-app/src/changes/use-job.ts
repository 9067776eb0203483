import { useEffect } from 'preact/hooks';
import type { JobJson } from '../api-types.ts';
import { connection, jobs, pauseLive } from '../api/live.ts';
import { useStore } from '../state/store.ts';

/** A job as it was told last; undefined until it is. `onEnd` is called once when it has ended. */
export function useJob(id: string | undefined, onEnd?: (job: JobJson) => void): JobJson | undefined {
  const known = useStore(jobs);
  const job = id === undefined ? undefined : known.get(id);
  const hasEnded = job?.ended !== undefined;
  useEffect(() => {
    // Its end is told by the server.
    if (id !== undefined && connection.get() === 'paused') pauseLive(false);
  }, [id]);
  useEffect(() => {
    if (job !== undefined && hasEnded) onEnd?.(job);
  }, [id, hasEnded]);
  return job;
}
