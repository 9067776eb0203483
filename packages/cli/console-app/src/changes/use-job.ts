import { useEffect } from 'preact/hooks';
import type { JobJson } from '../api-types.ts';
import { ApiError, get } from '../api/client.ts';
import { jobs, keepJobs } from '../api/live.ts';
import { useStore } from '../state/store.ts';

const ASK_EVERY_MS = 2_000;

/**
 * Returns the latest state of a job, and calls `onEnd` once at its end. The server is also asked, so that the
 * end is not missed.
 */
export function useJob(id: string | undefined, onEnd?: (job: JobJson) => void): JobJson | undefined {
  const known = useStore(jobs);
  const job = id === undefined ? undefined : known.get(id);
  const hasEnded = job?.ended !== undefined;
  useEffect(() => {
    if (id === undefined || hasEnded) return undefined;
    const timer = setInterval(() => void ask(id), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [id, hasEnded]);
  useEffect(() => {
    if (job !== undefined && hasEnded) onEnd?.(job);
  }, [id, hasEnded]);
  return job;
}

async function ask(id: string): Promise<void> {
  try {
    keepJobs([await get<JobJson>('job', { id })]);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) return; // it is asked again
    const what = jobs.get().get(id)?.what ?? 'change';
    const lost =
      'The console was started again meanwhile: what was done is not known. Look before you repeat it.';
    keepJobs([{ id, what, done: 0, ended: 'failed', error: lost }]);
  }
}
