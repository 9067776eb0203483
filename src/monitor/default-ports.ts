import { type Clock, systemClock } from '../base/clock.ts';
import type { ClaimAdmin } from '../claims/claim-admin.ts';

/** What the monitor works with. */
export interface MonitorPorts {
  readonly admin: ClaimAdmin;
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

/** The dimension of the metrics. */
export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

/** The machine's clock and standard output, except for what the options replace. */
export function monitorPorts(
  admin: ClaimAdmin,
  { clock = systemClock, write = writeToStandardOutput }: Partial<Omit<MonitorPorts, 'admin'>>,
): MonitorPorts {
  return { admin, clock, write };
}

// Not console.log: where functions log JSON, Lambda would put the line into another, and CloudWatch would see no metrics.
function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
