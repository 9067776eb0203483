export type { HeaderOptions } from './kept-headers.ts';
export type { KeyFormat } from './key-format.ts';
export type { LambdaHttpEvent } from './lambda-event.ts';
export type { LambdaHttpResponse } from './lambda-response.ts';
export type { HttpIdempotencyOptions } from './options.ts';
export { withFetchIdempotency } from './with-fetch-idempotency.ts';
export { withHttpIdempotency } from './with-http-idempotency.ts';
