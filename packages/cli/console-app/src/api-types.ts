/** Types of the server's API, without code. */
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
export type * from '../../src/console/send/send-api.ts';
export type * from '../../src/console/sign-in-api.ts';
export type * from '../../src/console/waterfall/read-waterfall.ts';
export type * from '../../src/console/waterfall/waterfall.ts';

/** A number, or a string if a double cannot hold it exactly. */
export type Num = number | string;
