/**
 * Idempotent HTTP handlers with the `Idempotency-Key` header, for Lambda functions and Fetch API handlers.
 *
 * @module batchlatch/http
 */
export type { HeaderOptions } from './kept-headers.ts';
export type { KeyFormat } from './idempotency-key-header.ts';
export type { LambdaHttpEvent } from './lambda-event.ts';
export type { LambdaHttpResponse } from './lambda-response.ts';
export type { HttpIdempotencyOptions } from './options.ts';
export { withFetchIdempotency, withFetchIdempotencyContext } from './with-fetch-idempotency.ts';
export { withHttpIdempotency, withHttpIdempotencyContext } from './with-http-idempotency.ts';
export type { CallContext } from '../functions/call-context.ts';
