/** Whether Powertools takes an option for given: a blank one is none. */
export function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
