import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { PlanJson, PlanRequest } from '../api-types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { counted } from '../text/numbers.ts';
import { OPERATION_NAME } from '../text/words.ts';
import { changeEndText } from './change-end-text.ts';
import { ChangeForm } from './change-form.tsx';
import { ChangeOutcome } from './change-outcome.tsx';
import { type ChangeRequest, changeRequest } from './change-request.ts';
import { usePlan } from './use-plan.ts';

/** The dialog of the change that is asked about, if there is one. */
export function ChangeDialog(): JSX.Element | null {
  const request = useStore(changeRequest);
  if (request === undefined) return null;
  return <Asked request={request} onClose={() => changeRequest.set(undefined)} />;
}

function Asked({
  request,
  onClose,
}: {
  readonly request: ChangeRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const { operation, what } = request;
  const [isForced, setForced] = useState(false);
  const asked = useMemo<PlanRequest>(
    () => ({ operation, ...what, ...(isForced && { force: true }) }),
    [request, isForced],
  );
  const { step, isPlanning, planAgain, start } = usePlan<PlanJson>('plan', asked);
  const name = OPERATION_NAME[operation];
  return (
    <Dialog
      title={
        step.name === 'planned' && step.plan.wouldChange > 0
          ? `${name} ${counted(step.plan.wouldChange, 'claim')}`
          : `${name} claims`
      }
      onClose={onClose}
    >
      {step.name === 'planning' && <Skeleton lines={4} />}
      {step.name === 'planned' && (
        <ChangeForm
          request={request}
          plan={step.plan}
          isPlanning={isPlanning}
          isForced={isForced}
          onForce={setForced}
          onStart={(reason, result) =>
            start(
              'changes',
              {
                reason,
                ...(result !== undefined && { result }),
                ...(operation === 'forget' && { confirmed: true }),
              },
              (job) => changeEndText(operation, job),
            )
          }
          onClose={onClose}
        />
      )}
      {step.name === 'started' && <ChangeOutcome request={request} job={step.job} onClose={onClose} />}
      {step.name === 'failed' && <ErrorNotice error={step.error} again={planAgain} />}
    </Dialog>
  );
}
