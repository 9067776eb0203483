export function tableNameFrom(given: string | undefined): string {
  return given ?? (process.env['CLAIMS_TABLE_NAME'] || 'claims');
}

export function outboxNameFrom(given: string | undefined): string {
  return given ?? (process.env['OUTBOX_TABLE_NAME'] || 'outbox');
}
