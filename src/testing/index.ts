export { describeClaimStore, type ClaimStoreSubject, type TestRunner } from './describe-claim-store.ts';
export {
  eventBridgeEvent,
  lambdaContext,
  sqsEvent,
  type LambdaContextOptions,
  type SqsEventOptions,
  type SqsMessage,
} from './events.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
