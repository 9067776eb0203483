import type { JSX } from 'preact';
import type { JobJson } from '../api-types.ts';

/** How far a job is. */
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
    </div>
  );
}
