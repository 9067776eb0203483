import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { JobJson } from '../api-types.ts';
import { jobs } from '../api/live.ts';
import { toast } from '../parts/toasts.tsx';
import { useStore } from '../state/store.ts';
import { numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';

const DOING: Readonly<Record<JobJson['what'], string>> = {
  read: 'Reading all claims',
  plan: 'Looking at what would change',
  change: 'Changing claims',
  redrive: 'Redriving messages',
  outbox: 'Changing rows of the outbox',
};

/** The jobs that the server is running, on every page. */
export function RunningJobs(): JSX.Element {
  const all = [...useStore(jobs).values()];
  useToldFailures(all);
  const running = all.filter(({ ended }) => ended === undefined);
  return (
    <>
      {running.map((job) => (
        <span key={job.id} class="job">
          <span class="spinner" aria-hidden="true" />
          {progressText(job)}
        </span>
      ))}
    </>
  );
}

/** Returns a text such as `Changing claims: 120 of 400`. */
export function progressText({ what, done, total }: JobJson): string {
  return `${DOING[what]}: ${numberText(done)}${total === undefined ? '' : ` of ${numberText(total)}`}`;
}

/** Reports failures of jobs. Dialogs report those that they started. */
function useToldFailures(all: readonly JobJson[]): void {
  const told = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, what, ended, error } of all) {
      if (what !== 'read' || ended !== 'failed' || told.current.has(id)) continue;
      told.current.add(id);
      toast(`${DOING[what]} failed: ${shown(error ?? 'the reason is not known')}`, { isError: true });
    }
  });
}
