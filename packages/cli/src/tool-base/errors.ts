/** A wrong option, template or setting; the message says what to do. It has the code that the library's own has. */
export class ConfigurationError extends Error {
  readonly code = 'BATCHLATCH_CONFIGURATION';
  override readonly name = 'ConfigurationError';
}

/** Whether `error` carries this stable code; works across copies of the package, and on whatever was thrown. */
export function hasCode(error: unknown, code: string): boolean {
  try {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
  } catch {
    return false; // a revoked proxy, a getter that throws
  }
}
