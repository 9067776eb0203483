import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobJson } from '../api-types.ts';
import { progressText } from '../shell/running-jobs.tsx';
import { CloseButton } from './close-button.tsx';
import { Progress } from './progress.tsx';
import { useJob } from './use-job.ts';

/** The progress of a job, then its result. If all is done, the dialog closes and a message says so. */
export function JobOutcome({
  job: id,
  starting,
  what,
  isComplete,
  onDone,
  onClose,
  children,
}: {
  readonly job: string;
  /** The text until the job tells how far it is. */
  readonly starting: string;
  /** The name of the job, such as `change`. */
  readonly what: string;
  /** Returns whether all was done that was asked for. */
  readonly isComplete: (ended: JobJson) => boolean;
  readonly onDone: (() => void) | undefined;
  readonly onClose: () => void;
  /** Returns the result of the ended job. */
  readonly children: (ended: JobJson) => ComponentChildren;
}): JSX.Element {
  const [isTold, setTold] = useState(false);
  const job = useJob(id, (ended) => {
    setTold(true);
    onDone?.();
    if (ended.ended === 'whole' && isComplete(ended)) onClose();
  });
  if (job?.ended === undefined || !isTold) {
    return (
      <Progress
        text={job === undefined ? starting : progressText(job)}
        job={job}
        hint={`You can close this: the ${what} goes on, and the header shows how far it is.`}
      />
    );
  }
  return (
    <>
      {children(job)}
      <CloseButton onClose={onClose} />
    </>
  );
}
