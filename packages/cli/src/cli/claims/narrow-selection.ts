import { type Command, Option } from 'commander';
import type { ClaimPage } from 'batchlatch/operations';
import { isNarrow, matches, type Narrowing } from '../../console/claim-narrowing.ts';
import { integerBetween } from '../arguments/values.ts';

/** The options that select claims by what no index answers. */
export interface NarrowSelection {
  readonly type?: string;
  readonly errorName?: string;
  readonly holder?: string;
  readonly ran?: number;
  readonly past?: NonNullable<Narrowing['past']>;
}

const PASTS = ['ran-twice', 'changed'] as const satisfies Narrowing['past'][];

/** Adds the options. */
export function narrowing(command: Command): Command {
  return command
    .option('--type <type>', 'claims of messages of this type, such as OrderPlaced')
    .option('--error-name <name>', 'failed and parked claims with an error of this name')
    .option('--holder <name>', 'claims that this function (`name:version`) or worker holds')
    .option(
      '--ran <seconds>',
      'completed claims whose last attempt ran at least this long',
      integerBetween(1, 1_000_000),
    )
    .addOption(
      new Option(
        '--past <past>',
        'completed claims whose work may have run twice (ran-twice), ' +
          'or claims that a person changed (changed)',
      ).choices(PASTS),
    );
}

/** Returns a filter of pages, or undefined if no option asks for one. */
export function narrowed(
  { type, errorName, holder, ran, past }: NarrowSelection,
  now: () => number,
): ((page: ClaimPage) => ClaimPage) | undefined {
  const wanted: Narrowing = {
    ...(type !== undefined && { type }),
    ...(errorName !== undefined && { error: errorName }),
    ...(holder !== undefined && { holder }),
    ...(ran !== undefined && { ranMs: ran * 1_000 }),
    ...(past !== undefined && { past }),
  };
  if (!isNarrow(wanted)) return undefined;
  return (page) => ({ ...page, claims: page.claims.filter((claim) => matches(claim, wanted, now())) });
}
