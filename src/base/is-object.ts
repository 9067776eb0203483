/** What has members: an object, also an array; not null. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
