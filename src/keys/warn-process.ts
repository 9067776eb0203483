/** A warning of the process, which Node writes to standard error and `process.on('warning')` hears. */
export function warnProcess(message: string, code: string): void {
  process.emitWarning(message, { type: 'BatchlatchWarning', code });
}
