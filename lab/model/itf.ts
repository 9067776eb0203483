import type { State } from './state.ts';

/** A state of a trace in the Informal Trace Format, whose variables are named after the modules that they come through. */
export function stateOfItf(state: Readonly<Record<string, unknown>>): State {
  const variables: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(state)) {
    if (!name.startsWith('#') && !name.startsWith('mbt::'))
      variables[name.split('::').at(-1) ?? ''] = plain(value);
  }
  const { effects, overridden } = variables as { readonly effects: string[]; readonly overridden: string[] };
  return { ...variables, effects: effects.toSorted(), overridden: overridden.toSorted() } as unknown as State;
}

/** Numbers, sets and maps are objects with a mark. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if ('#bigint' in value) return Number(value['#bigint']);
  if ('#set' in value) return plain(value['#set']);
  if ('#map' in value) {
    const entries = value['#map'] as readonly (readonly [string, unknown])[];
    return Object.fromEntries(entries.map(([key, held]) => [key, plain(held)]));
  }
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plain(held)]));
}
