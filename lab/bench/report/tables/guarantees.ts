import { USED } from '../../compared.ts';
import { table } from '../format.ts';
import { TITLES } from '../lookup.ts';

type Row = readonly [what: string, answers: Readonly<Record<(typeof USED)[number], string>>];

/** What each contender does, as measured here: with its defaults, or as its documentation shows it. */
const ROWS: readonly Row[] = [
  [
    'one record fails',
    {
      batchlatch: 'it alone comes again',
      powertools: 'it alone comes again',
      'by-hand': 'it alone comes again',
      middy: 'it alone comes again',
    },
  ],
  [
    'a message is delivered again after it was completed',
    {
      batchlatch: 'is not run again',
      powertools: 'is not run again',
      'by-hand': 'is not run again',
      middy: '**runs again**',
    },
  ],
  [
    'a message is delivered again while it runs',
    {
      batchlatch: 'is not run; comes again, until the first has ended',
      powertools: 'is not run; comes again, until the first has ended',
      'by-hand': 'is not run, and acknowledged: **lost** if the first fails',
      middy: '**runs twice at once**',
    },
  ],
  [
    'the process dies while a handler runs',
    {
      batchlatch: 'runs again when the lease has ended',
      powertools: "runs again when the invocation's time has ended",
      'by-hand': 'its row stays: the next delivery is acknowledged and the message is **lost**',
      middy: 'runs again',
    },
  ],
  [
    'the process dies after the effect, before its completion is stored',
    {
      batchlatch: 'the effect is repeated (`commit` prevents it for effects in DynamoDB)',
      powertools: 'the effect is repeated',
      'by-hand': 'not repeated, for the reason above',
      middy: 'the effect is repeated',
    },
  ],
  [
    'a handler ends after another has taken over',
    {
      batchlatch: 'its writes are refused',
      powertools: 'it overwrites or deletes the row of the other',
      'by-hand': 'nobody takes over',
      middy: 'no rows',
    },
  ],
  [
    'order in the groups of a FIFO queue after a failure',
    {
      batchlatch: 'kept',
      powertools: 'kept, with its processor for FIFO',
      'by-hand': '**not kept**',
      middy: '**not kept**',
    },
  ],
];

export function guaranteesTable(): string {
  return table(
    ['', ...USED.map((name) => TITLES[name])],
    ROWS.map(([what, answers]) => [what, ...USED.map((name) => answers[name])]),
    USED.length + 1,
  );
}
