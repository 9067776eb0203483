import { isAcknowledged, type RecordOutcome } from '../../src/batch/outcomes.ts';
import { graphPicture } from './graph.ts';

/** The steps of the pipeline, in their order. */
const STEPS = {
  source: 'Source\nrecords of the event',
  key: 'Key\none for each record',
  claim: 'Claim\n25 in a request',
  run: 'Run\n10 at a time, lanes in order',
  settle: 'Settle\n25 in a request',
} as const;

/** In which step a record can end how. */
const ENDS: Readonly<Record<RecordOutcome['status'], keyof typeof STEPS>> = {
  invalid: 'key',
  ignored: 'source',
  duplicate: 'claim',
  conflict: 'claim',
  mismatch: 'claim',
  parked: 'settle',
  'not-started': 'run',
  failed: 'settle',
  completed: 'settle',
  lost: 'settle',
};

/** How a batch goes from the event to the answer, and where each outcome comes from. */
export function batchWayPicture(): Promise<string> {
  const steps = Object.entries(STEPS);
  const outcomes = Object.entries(ENDS) as [RecordOutcome['status'], keyof typeof STEPS][];
  return graphPicture(
    'The way of a batch: source, key, claim, run, settle, answer. Green outcomes are acknowledged, the others are handed back',
    [
      ...steps.map(([id, label]) => ({ id, label, class: 'live' })),
      ...outcomes.map(([id]) => ({ id, label: id, class: isDone(id) ? 'done' : 'failed' })),
      { id: 'answer', label: 'Answer\nall but what is done', class: 'box' },
    ],
    [
      ...steps
        .slice(1)
        .map(([id], index) => ({ from: steps[index]?.[0] ?? '', to: id, label: '', class: 'worker' })),
      ...outcomes.map(([id, step]) => ({ from: step, to: id, label: '', class: 'time' })),
      { from: 'settle', to: 'answer', label: '', class: 'worker' },
    ],
    'LR',
  );
}

/** Without a dead-letter queue; only the status decides. */
function isDone(status: RecordOutcome['status']): boolean {
  return isAcknowledged({ status } as RecordOutcome);
}
