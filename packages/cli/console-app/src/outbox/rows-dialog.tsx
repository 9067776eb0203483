import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RowsPlanJson, RowsPlanRequest } from '../api-types.ts';
import { usePlan } from '../changes/use-plan.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { counted } from '../text/numbers.ts';
import { ROW_OPERATION_NAME } from '../text/row-words.ts';
import { rowsEndText } from './rows-end-text.ts';
import { RowsForm } from './rows-form.tsx';
import { RowsOutcome } from './rows-outcome.tsx';
import { type RowsRequest, rowsRequest } from './rows-request.ts';

/** The dialog of the change of rows that is asked about, if there is one. */
export function RowsDialog(): JSX.Element | null {
  const request = useStore(rowsRequest);
  if (request === undefined) return null;
  return <Asked request={request} onClose={() => rowsRequest.set(undefined)} />;
}

function Asked({
  request,
  onClose,
}: {
  readonly request: RowsRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const { operation } = request;
  const asked = useMemo<RowsPlanRequest>(() => {
    const { onDone: _onDone, ...plan } = request;
    return plan;
  }, [request]);
  const { step, isPlanning, planAgain, start } = usePlan<RowsPlanJson>('outbox/plan', asked);
  const of = step.name === 'planned' ? counted(step.plan.wouldChange, 'row') : 'rows';
  return (
    <Dialog title={`${ROW_OPERATION_NAME[operation]} ${of}`} onClose={onClose}>
      {step.name === 'planning' && (
        <>
          <p class="muted">Looking at the rows, without changing anything.</p>
          <Skeleton lines={4} />
        </>
      )}
      {step.name === 'planned' && (
        <RowsForm
          plan={step.plan}
          isPlanning={isPlanning}
          onStart={(reason) => start('outbox/change', { reason }, (job) => rowsEndText(operation, job))}
          onClose={onClose}
        />
      )}
      {step.name === 'started' && <RowsOutcome request={request} job={step.job} onClose={onClose} />}
      {step.name === 'failed' && <ErrorNotice error={step.error} again={planAgain} />}
    </Dialog>
  );
}
