/** A warning of the process, which Node writes to standard error and passes to `process.on('warning')`. */
export function warnProcess(message: string, code: string): void {
  process.emitWarning(message, { type: 'BatchlatchWarning', code });
}
