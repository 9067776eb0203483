import type { JobJson } from '../api-types.ts';
import { jobs } from '../api/live.ts';
import { toast } from '../parts/toasts.tsx';

/** The messages for the ends of jobs that this page started, by job id. */
const texts = new Map<string, (job: JobJson) => string>();

/** Reports how a job ended, even if its dialog is closed. */
export function tellEndOf(id: string, text: (job: JobJson) => string): void {
  texts.set(id, text);
  tell();
}

jobs.subscribe(tell);

function tell(): void {
  for (const [id, text] of texts) {
    const job = jobs.get().get(id);
    if (job?.ended === undefined) continue;
    texts.delete(id);
    toast(text(job), { isError: job.ended === 'failed' });
  }
}
