export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

// Not console.log: with JSON logging, Lambda would wrap the line, and CloudWatch would find no metrics.
export function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
