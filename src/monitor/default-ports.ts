/** The dimension of the metrics. */
export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

// Not console.log: where functions log JSON, Lambda would put the line into another, and CloudWatch would see no metrics.
export function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
