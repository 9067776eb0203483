import type { QuintEx } from '@informalsystems/quint';
import { type ItfState, ofItf, toItf } from '@informalsystems/quint/dist/src/itf.js';
import { stateOfItf } from '../itf.ts';
import type { State } from '../state.ts';
import { rightOf } from './right-of.ts';

/** States of Quint as states of the model. */
export function statesOf(variables: readonly string[], states: readonly QuintEx[]): State[] {
  return rightOf(toItf([...variables], [...states])).states.map(stateOfItf);
}

const MAPS: ReadonlySet<string> = new Set(['skew', 'rows', 'attempts', 'people', 'promised', 'ends']);

/** A state of the model as one of Quint, whose variables are named after the modules that they come through. */
export function expressionOf(variables: readonly string[], state: State): QuintEx {
  const values = new Map<string, unknown>(Object.entries(state));
  const itf = Object.fromEntries(
    variables.map((variable) => {
      const name = variable.split('::').at(-1) ?? '';
      const value = values.get(name);
      if (!MAPS.has(name)) return [variable, itfOf(value)];
      const entries = Object.entries(value as object);
      return [variable, { '#map': entries.map(([key, held]) => [key, itfOf(held)]) }];
    }),
  );
  return ofItf({ vars: [...variables], states: [itf as ItfState] })[0] as QuintEx;
}

function itfOf(value: unknown): unknown {
  if (typeof value === 'number') return { '#bigint': String(value) };
  if (Array.isArray(value)) return { '#set': value.map(itfOf) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, itfOf(held)]));
}
