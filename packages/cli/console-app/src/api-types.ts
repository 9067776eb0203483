/** What the server and these pages tell each other; there is no code behind it. */
export type {
  ClaimJson,
  ClaimState,
  CompletedMessages,
  Distribution,
  OperationKind,
  ParkedKind,
  StatisticsPeriod,
  StoredError,
} from 'batchlatch/operations';
export type * from '../../src/console/api.ts';
export type * from '../../src/console/redrive-api.ts';
export type * from '../../src/console/sign-in-api.ts';

/** A number, or the text of one that a double cannot hold. */
export type Num = number | string;
