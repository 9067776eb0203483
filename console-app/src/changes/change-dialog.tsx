import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PlanJson } from '../api-types.ts';
import { type ApiError, post } from '../api/client.ts';
import { asApiError } from '../api/use-request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { counted } from '../text/numbers.ts';
import { OPERATION_NAME } from '../text/words.ts';
import { ChangeForm } from './change-form.tsx';
import { ChangeOutcome } from './change-outcome.tsx';
import { type ChangeRequest, changeRequest } from './change-request.ts';

/** The dialog of the change that is asked about, if there is one. */
export function ChangeDialog(): JSX.Element | null {
  const request = useStore(changeRequest);
  if (request === undefined) return null;
  return <Asked request={request} onClose={() => changeRequest.set(undefined)} />;
}

type Step =
  | { readonly name: 'planning' }
  | { readonly name: 'planned'; readonly plan: PlanJson }
  | { readonly name: 'started'; readonly job: string }
  | { readonly name: 'failed'; readonly error: ApiError };

function Asked({
  request,
  onClose,
}: {
  readonly request: ChangeRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const [step, setStep] = useState<Step>({ name: 'planning' });
  const [isForced, setForced] = useState(false);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const { operation, what } = request;
    setStep((before) => (before.name === 'planned' ? before : { name: 'planning' }));
    post<PlanJson>('plan', { operation, ...what, ...(isForced && { force: true }) }, abort.signal).then(
      (plan) => setStep({ name: 'planned', plan }),
      (error: unknown) => {
        if (!abort.signal.aborted) setStep({ name: 'failed', error: asApiError(error) });
      },
    );
    return () => abort.abort();
  }, [request, isForced, round]);
  const planAgain = (): void => {
    setStep({ name: 'planning' });
    setRound(round + 1);
  };
  const start = async (reason: string, result: string | undefined): Promise<void> => {
    if (step.name !== 'planned') return;
    try {
      const { job } = await post<{ job: string }>('changes', {
        plan: step.plan.plan,
        reason,
        ...(result !== undefined && { result }),
        ...(request.operation === 'forget' && { confirmed: true }),
      });
      setStep({ name: 'started', job });
    } catch (error) {
      setStep({ name: 'failed', error: asApiError(error) });
    }
  };
  return (
    <Dialog title={titleOf(request, step)} onClose={onClose}>
      {step.name === 'planning' && <Skeleton lines={4} />}
      {step.name === 'planned' && (
        <ChangeForm
          request={request}
          plan={step.plan}
          isForced={isForced}
          onForce={setForced}
          onStart={start}
          onClose={onClose}
        />
      )}
      {step.name === 'started' && <ChangeOutcome request={request} job={step.job} onClose={onClose} />}
      {step.name === 'failed' && <ErrorNotice error={step.error} again={planAgain} />}
    </Dialog>
  );
}

function titleOf({ operation }: ChangeRequest, step: Step): string {
  const name = OPERATION_NAME[operation];
  return step.name === 'planned' ? `${name} ${counted(step.plan.wouldChange, 'claim')}` : `${name} claims`;
}
