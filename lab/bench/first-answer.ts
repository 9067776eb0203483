/** Whether a batch without failures was answered with success: a function that fails fast must not look fast. */
export function isSuccess(answer: unknown): boolean {
  return JSON.stringify(answer) === '{"batchItemFailures":[]}';
}
