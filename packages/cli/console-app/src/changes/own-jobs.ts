import type { JobJson } from '../api-types.ts';
import { jobs } from '../api/live.ts';
import { toast } from '../parts/toasts.tsx';

/** What is said when a job that this page started has ended, by its id. */
const texts = new Map<string, (job: JobJson) => string>();

/** Says how a job ended, whether or not its dialog is still open. */
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
