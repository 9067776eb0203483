import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { CompletedMessages, RedrivePlanJson, RedrivePlanRequest } from '../api-types.ts';
import { usePlan } from '../changes/use-plan.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { counted } from '../text/numbers.ts';
import { redriveEndText } from './redrive-end-text.ts';
import { RedriveForm } from './redrive-form.tsx';
import { RedriveOutcome } from './redrive-outcome.tsx';
import { type RedriveRequest, redriveRequest } from './redrive-request.ts';

/** The dialog of the redrive that is asked about, if there is one. */
export function RedriveDialog(): JSX.Element | null {
  const request = useStore(redriveRequest);
  if (request === undefined) return null;
  return <Asked request={request} onClose={() => redriveRequest.set(undefined)} />;
}

function Asked({
  request,
  onClose,
}: {
  readonly request: RedriveRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const { queue, which } = request;
  const [completed, setCompleted] = useState<CompletedMessages>('skip');
  const asked = useMemo<RedrivePlanRequest>(() => ({ queue, which, completed }), [request, completed]);
  const { step, isPlanning, planAgain, start } = usePlan<RedrivePlanJson>('dead-letters/plan', asked);
  const title =
    step.name === 'planned' ? `Redrive ${counted(step.plan.moved, 'message')}` : 'Redrive messages';
  return (
    <Dialog title={title} onClose={onClose}>
      {step.name === 'planning' && (
        <>
          <p class="muted">Looking through the queue, without changing anything.</p>
          <Skeleton lines={4} />
        </>
      )}
      {step.name === 'planned' && (
        <RedriveForm
          request={request}
          plan={step.plan}
          isPlanning={isPlanning}
          completed={completed}
          onCompleted={setCompleted}
          onStart={(reason) => start('dead-letters/redrive', { reason }, redriveEndText)}
          onClose={onClose}
        />
      )}
      {step.name === 'started' && <RedriveOutcome request={request} job={step.job} onClose={onClose} />}
      {step.name === 'failed' && <ErrorNotice error={step.error} again={planAgain} />}
    </Dialog>
  );
}
