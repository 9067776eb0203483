import { ConfigurationError } from '../base/errors.ts';

/** `lanes` of a source that has no other option; the first is the default. Throws a `ConfigurationError` for others. */
export function checkedLanes<Lanes extends string>(
  source: string,
  options: { readonly lanes?: Lanes },
  ...known: readonly [Lanes, ...Lanes[]]
): Lanes {
  const { lanes = known[0], ...unknown } = options;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(
      `Unknown option \`${stranger}\` of ${source}; the only known option is lanes`,
    );
  }
  if (!known.includes(lanes)) {
    const names = known.map((name) => `'${name}'`).join(' or ');
    throw new ConfigurationError(
      `Expected \`lanes\` of ${source} to be ${names}, got \`${lanes as string}\``,
    );
  }
  return lanes;
}
