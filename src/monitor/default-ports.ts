export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

export function outboxNameFrom(given: string | undefined): string {
  return given ?? (process.env['OUTBOX_TABLE_NAME'] || 'outbox');
}

// Not console.log: with JSON logging, Lambda would wrap the line, and CloudWatch would find no metrics.
export function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
