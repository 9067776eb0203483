import { builtIn } from '../base/built-in.ts';

const said = new Set<string>();

/** Prints a text with NODE_DEBUG=batchlatch, once in a process. */
export function debugOnce(text: string): void {
  if (isNew(text)) builtIn('node:util').debuglog('batchlatch')(text);
}

/**
 * Logs that requests to a service go through AWS's SDK, which costs CPU and time to start, and which setting
 * made it so. A line as `jsonLines()` writes them, once in a process for each service and reason, unless
 * BATCHLATCH_LOG_LEVEL is above `info`.
 */
export function tellThroughSdk(service: string, reason: string): void {
  if (/^(warn|error|silent)$/i.test(process.env['BATCHLATCH_LOG_LEVEL'] ?? '')) return;
  if (!isNew(`${service} through AWS's SDK: ${reason}`)) return;
  const line = { timestamp: new Date().toISOString(), level: 'info', message: 'throughSdk', service, reason };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function isNew(text: string): boolean {
  if (said.has(text)) return false;
  said.add(text);
  return true;
}
