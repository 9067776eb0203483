import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Instance } from '../state.ts';

const SPECIFICATION = path.resolve(import.meta.dirname, '../claim.qnt');

/** The modules of lab/model/claim.qnt that give the constants their values. */
export type InstanceName = 'ownClocks' | 'serverClock' | 'oneKey';

/** For Quint, whose numbers have no infinite one. */
const NO_LAST_TIME = 1_000_000;

const bodyOf = (text: string, name: string): string =>
  new RegExp(`module ${name} \\{([^}]*)\\}`).exec(text)?.[1] ?? '';

/** The constants of an instance, as the specification says them. */
export function instanceOf(name: InstanceName): Instance {
  const body = bodyOf(readFileSync(SPECIFICATION, 'utf8'), name);
  const names = (constant: string): string[] => {
    const set = new RegExp(`${constant} = Set\\(([^)]*)\\)`).exec(body)?.[1] ?? '';
    return set.split(',').map((quoted) => quoted.trim().slice(1, -1));
  };
  const number = (constant: string): number => Number(new RegExp(`${constant} = (\\d+)`).exec(body)?.[1]);
  return {
    keys: names('KEYS'),
    owners: names('OWNERS'),
    people: names('PEOPLE'),
    payloads: names('PAYLOADS'),
    tolerance: number('TOLERANCE'),
    lastTime: number('LAST_TIME'),
  };
}

/** The actions of which `step` picks one. */
export function actionsOfStep(): readonly string[] {
  const [, actions = ''] = /action step = any \{([^}]*)\}/.exec(readFileSync(SPECIFICATION, 'utf8')) ?? [];
  return actions.split(',').flatMap((name) => name.trim() || []);
}

/** The name of a module in which a guard is taken out, or of one with constants that the specification does not name. */
export const moduleOf = (kind: 'without' | 'walked', name: string): string =>
  `${kind}_${name.replaceAll(/\W+/g, '_')}`;

/** The specification, with a module for each guard that can be taken out, and for each further instance. */
export function sourceWith(guards: readonly string[], instances: Readonly<Record<string, Instance>>): string {
  const text = readFileSync(SPECIFICATION, 'utf8');
  const oneKey = bodyOf(text, 'oneKey');
  const mutants = guards.map((guard) => {
    if (!text.includes(`"${guard}")`)) throw new Error(`lab/model/claim.qnt has no guard "${guard}"`);
    return `module ${moduleOf('without', guard)} {${oneKey.replace('WITHOUT = ""', `WITHOUT = "${guard}"`)}}`;
  });
  const walked = Object.entries(instances).map(
    ([name, instance]) =>
      `module ${moduleOf('walked', name)} {\n  import claim(${constantsOf(instance)}).*\n}`,
  );
  return [text, ...mutants, ...walked].join('\n');
}

function constantsOf({ keys, owners, people, payloads, tolerance, lastTime }: Instance): string {
  const set = (names: readonly string[]): string =>
    `Set(${names.map((name) => JSON.stringify(name)).join(', ')})`;
  const last = Math.min(lastTime, NO_LAST_TIME);
  return (
    `KEYS = ${set(keys)}, OWNERS = ${set(owners)}, PEOPLE = ${set(people)}, PAYLOADS = ${set(payloads)}, ` +
    `TOLERANCE = ${tolerance}, LAST_TIME = ${last}, WITHOUT = ""`
  );
}
