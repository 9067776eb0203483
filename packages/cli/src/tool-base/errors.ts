/** An invalid option, template or setting; the message says what to do. Its code is the library's. */
export class ConfigurationError extends Error {
  readonly code = 'BATCHLATCH_CONFIGURATION';
  override readonly name = 'ConfigurationError';
}

/** Whether `error` has this code. Works across copies of the package, and for any thrown value. */
export function hasCode(error: unknown, code: string): boolean {
  try {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
  } catch {
    return false; // a revoked proxy, a getter that throws
  }
}
