import type { JSX } from 'preact';
import type { JobJson } from '../api-types.ts';
import { post } from '../api/client.ts';
import { asApiError } from '../api/use-request.ts';
import { toast } from '../parts/toasts.tsx';

/** Ends a job after what it is doing at the moment. */
async function stop(job: string): Promise<void> {
  try {
    await post('jobs/stop', { job });
  } catch (error) {
    toast(asApiError(error).message, { isError: true });
  }
}

/** How far a job is, and a button that stops it. */
export function Progress({
  text,
  job,
  hint,
}: {
  readonly text: string;
  readonly job: JobJson | undefined;
  readonly hint: string;
}): JSX.Element {
  return (
    <div class="progress" role="status">
      <p>{text}</p>
      <progress
        aria-label={text}
        {...(job?.total !== undefined && job.total > 0 && { value: job.done, max: job.total })}
      />
      <p class="muted small">{hint}</p>
      {job !== undefined && (
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={() => void stop(job.id)}>
            Stop
          </button>
        </div>
      )}
    </div>
  );
}
