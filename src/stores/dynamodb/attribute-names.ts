import { ConfigurationError } from '../../base/errors.ts';

/** Refuses unknown attributes, names that statements cannot contain, and names that are used twice. */
export function assertAttributeNames(
  names: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>> = names,
): void {
  const seen = new Set<string>();
  for (const [field, name] of Object.entries(names)) {
    if (!Object.hasOwn(known, field)) {
      throw new ConfigurationError(
        `Unknown attribute \`${field}\`; known attributes are ${Object.keys(known).join(', ')}`,
      );
    }
    // Plain names only: they are written into statements, and DynamoDB has no parameter for a name there.
    if (typeof name !== 'string' || !/^\w{1,255}$/.test(name)) {
      throw new ConfigurationError(
        `Expected attribute \`${field}\` to be named with letters, digits and _, got \`${String(name)}\``,
      );
    }
    if (seen.has(name)) throw new ConfigurationError(`Two attributes are both named \`${name}\``);
    seen.add(name);
  }
}
