import { useEffect, useState } from 'preact/hooks';
import { type ApiError, post } from '../api/client.ts';
import { keepJobs } from '../api/live.ts';
import type { JobJson, StartedJson } from '../api-types.ts';
import { asApiError } from '../api/use-request.ts';
import { tellEndOf } from './own-jobs.ts';

/** The progress of a question to a person. */
export type Step<Plan> =
  | { readonly name: 'planning' }
  | { readonly name: 'planned'; readonly plan: Plan }
  | { readonly name: 'started'; readonly job: string }
  | { readonly name: 'failed'; readonly error: ApiError };

/**
 * Makes the server plan a request, and again when `request` is a new object. The last plan stays meanwhile,
 * to keep the person's input.
 */
export function usePlan<Plan extends { readonly plan: string }>(
  path: string,
  request: unknown,
): {
  readonly step: Step<Plan>;
  readonly isPlanning: boolean;
  readonly planAgain: () => void;
  /** Sends the plan's id with `body`. The answer is a job, whose end is reported with `endText`. */
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
    // The server stops reading for an abandoned plan.
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
