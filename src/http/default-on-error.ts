import { BatchlatchError } from '../base/errors.ts';

/** The default `onError`: a process warning, which Lambda and servers write to their log. */
export function warnOfError(error: unknown): void {
  const code = error instanceof BatchlatchError ? error.code : undefined;
  process.emitWarning(error instanceof Error ? error.message : String(error), {
    type: 'BatchlatchWarning',
    ...(code !== undefined && { code }),
  });
}
