/** What keys have to look like: `'any'` visible ASCII, a UUID, a pattern that the whole key matches, or
 * a function that gets the header's value, without the quotes of a structured field. */
export type KeyFormat = 'any' | 'uuid' | RegExp | ((key: string) => boolean);

/** What is asked of a key beyond what the header can carry. */
export interface KeyRules {
  /** In characters, without quotes and escapes. */
  readonly maxLength: number;
  readonly fits: (key: string) => boolean;
  /** The message for a key that does not fit. */
  readonly misfit: string;
}

/** RFC 9562, versions 1 to 8. Not the nil UUID, which is what a client sends that forgot to make one. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

export function keyRules(format: KeyFormat, maxLength: number): KeyRules {
  const misfit = 'it is not in the format that this API requires';
  if (format === 'any') return { maxLength, misfit, fits: () => true };
  if (format === 'uuid') return { maxLength, misfit: 'it is not a UUID', fits: (key) => UUID.test(key) };
  if (typeof format === 'function') return { maxLength, misfit, fits: (key) => isTrue(format(key)) };
  // Of the whole key; and with `g` or `y` a pattern would keep its last position.
  const whole = new RegExp(`^(?:${format.source})$`, format.flags.replaceAll(/[gy]/g, ''));
  return { maxLength, misfit, fits: (key) => whole.test(key) };
}

/** A promise would count as true. */
function isTrue(answer: unknown): boolean {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer === true;
}
