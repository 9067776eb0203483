import { useEffect, useState } from 'preact/hooks';
import { type ApiError, post } from '../api/client.ts';
import { keepJobs } from '../api/live.ts';
import type { JobJson, StartedJson } from '../api-types.ts';
import { asApiError } from '../api/use-request.ts';
import { tellEndOf } from './own-jobs.ts';

/** How far a question to a person is. */
export type Step<Plan> =
  | { readonly name: 'planning' }
  | { readonly name: 'planned'; readonly plan: Plan }
  | { readonly name: 'started'; readonly job: string }
  | { readonly name: 'failed'; readonly error: ApiError };

/**
 * Has the server plan what is asked for, again whenever `request` is another object, and starts the plan. While it plans again, the plan before
 * stays, so that what was typed beside it does too.
 */
export function usePlan<Plan extends { readonly plan: string }>(
  path: string,
  request: unknown,
): {
  readonly step: Step<Plan>;
  readonly isPlanning: boolean;
  readonly planAgain: () => void;
  /** Sends the plan's id with `body`; the answer is a job, whose end is told with `endText`. */
  readonly start: (path: string, body: object, endText: (job: JobJson) => string) => Promise<void>;
} {
  const [step, setStep] = useState<Step<Plan>>({ name: 'planning' });
  const [isPlanning, setPlanning] = useState(true);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setPlanning(true);
    post<Plan>(path, request, abort.signal).then(
      (plan) => {
        setStep({ name: 'planned', plan });
        setPlanning(false);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setStep({ name: 'failed', error: asApiError(error) });
        setPlanning(false);
      },
    );
    // The server stops reading for a plan that nobody waits for.
    return () => abort.abort();
  }, [path, request, round]);
  return {
    step,
    isPlanning,
    planAgain: () => {
      setStep({ name: 'planning' });
      setRound(round + 1);
    },
    start: async (startPath, body, endText) => {
      if (step.name !== 'planned') return;
      try {
        const { job, ended } = await post<StartedJson>(startPath, { plan: step.plan.plan, ...body });
        if (ended !== undefined) keepJobs([ended]);
        setStep({ name: 'started', job });
        tellEndOf(job, endText);
      } catch (error) {
        setStep({ name: 'failed', error: asApiError(error) });
      }
    },
  };
}
