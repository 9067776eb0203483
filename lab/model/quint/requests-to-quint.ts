import type { State } from '../state.ts';
import type { InstanceName } from './source.ts';

export interface SimulationOptions {
  readonly instance: InstanceName;
  /** How many runs at most. */
  readonly samples: number;
  /** How many of them are kept; a run that breaks the invariant is always. */
  readonly traces: number;
  readonly steps: number;
  readonly seed: number;
  readonly invariant: string;
  /** The action that makes a step. Default: `step`. */
  readonly step?: string;
  /** A guard that is taken out of the specification; then it is that of one key, whatever `instance` says. */
  readonly without?: string;
}

export interface Simulation {
  readonly isViolated: boolean;
  readonly traces: readonly (readonly State[])[];
}

/** What a process of Quint is asked. */
export type QuintRequest =
  | { readonly typecheck: true }
  | { readonly simulate: SimulationOptions }
  | { readonly instance: string; readonly stepsFrom: readonly State[] };

/** What it answers: a simulation; or for each state, those that can follow it. */
export interface QuintAnswers {
  readonly simulation?: Simulation;
  readonly following?: readonly (readonly State[])[];
}

export interface AskedQuint {
  readonly id: number;
  readonly request: QuintRequest;
}

export type AnsweredQuint =
  | { readonly id: number; readonly answer: QuintAnswers }
  | { readonly id: number; readonly error: string };
