/** What the server and these pages tell each other; there is no code behind it. */
export type { StoredError } from '../../src/claims/claim.ts';
export type { ClaimState, OperationKind } from '../../src/claims/claim-admin.ts';
export type * from '../../src/console/api.ts';
export type * from '../../src/console/sign-in-api.ts';
export type { CompletedMessages } from '../../src/operations/index.ts';
export type { ClaimJson } from '../../src/operations/claim-json.ts';
export type { Distribution, StatisticsPeriod } from '../../src/operations/claim-tally.ts';

/** A number, or the text of one that a double cannot hold. */
export type Num = number | string;
