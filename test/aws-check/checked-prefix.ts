/** What the names begin with of what scripts/aws-check.sh has created for this run. */
export function checkedPrefix(): string {
  const prefix = process.env['BATCHLATCH_AWS_CHECK'] ?? '';
  if (prefix === '')
    throw new Error('These tests are run by scripts/aws-check.sh, which creates what they use');
  return prefix;
}
