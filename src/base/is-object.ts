/** Returns whether a value is an object or an array; false for null. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
