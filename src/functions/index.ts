/**
 * Idempotent functions: one claim around a call of any async function.
 *
 * @module batchlatch/functions
 */
export { argumentHash } from './argument-hash.ts';
export type { CallContext } from './call-context.ts';
export {
  ConflictError,
  NoTimeLeftError,
  ParkedError,
  ReplayedError,
  UnserializableResultError,
} from './errors.ts';
export type {
  AnyCallOptions,
  CallOptions,
  ClaimOptions,
  IdempotencyOptions,
  WholeKeyOptions,
} from './options.ts';
export type { CallPayloadHash, WholeCallKey } from '../keys/call-key.ts';
export type { Serializer } from './result-text.ts';
export { type Idempotent, withIdempotency, withIdempotencyContext } from './with-idempotency.ts';
export {
  CompletionNotStoredError,
  LapsedLeaseError,
  MismatchError,
  PermanentError,
} from '../attempts/errors.ts';
export { InterruptedError, LeaseLostError } from '../attempts/stop-errors.ts';
export { KeyError } from '../keys/errors.ts';
