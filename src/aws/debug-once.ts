import { builtIn } from '../base/built-in.ts';

const said = new Set<string>();

/** Prints a text if NODE_DEBUG contains `batchlatch`, once per process. */
export function debugOnce(text: string): void {
  if (isNew(text)) builtIn('node:util').debuglog('batchlatch')(text);
}

/**
 * Logs that requests to a service use AWS's SDK, which costs CPU and start time, and the setting that caused
 * it. Writes a line in the format of `jsonLines()`, once per process, service and reason, unless
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
