/** Whether Powertools considers an option as set: a blank one is not. */
export function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
