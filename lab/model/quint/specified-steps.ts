import type { TypecheckedStage } from '@informalsystems/quint/dist/src/cliCommands.js';
import { toExpr } from '@informalsystems/quint/dist/src/cliHelpers.js';
import { zerog } from '@informalsystems/quint/dist/src/idGenerator.js';
import { Evaluator } from '@informalsystems/quint/dist/src/runtime/impl/evaluator.js';
import { newTraceRecorder } from '@informalsystems/quint/dist/src/runtime/trace.js';
import type { State } from '../state.ts';
import { Choices } from './choices.ts';
import { rightOf } from './right-of.ts';
import { actionsOfStep } from './source.ts';
import { expressionOf, statesOf } from './states-of.ts';

/** Every step of the specification, for one of its modules: each action, with all that it may pick. */
export class SpecifiedSteps {
  readonly #specification: TypecheckedStage;
  readonly #choices = new Choices();
  readonly #evaluator: Evaluator;
  readonly #variables: readonly string[];
  readonly #actions = actionsOfStep();

  constructor(specification: TypecheckedStage) {
    this.#specification = specification;
    this.#evaluator = new Evaluator(specification.table, newTraceRecorder(0, this.#choices), this.#choices);
    this.#evaluate('init');
    this.#evaluator.shift();
    this.#variables = this.#evaluator.varNames();
  }

  after(state: State): State[] {
    const before = expressionOf(this.#variables, state);
    const found = new Map<string, State>();
    for (const action of this.#actions) {
      this.#choices.restart();
      do {
        this.#evaluator.updateState(before);
        this.#evaluator.trace.reset();
        if (!this.#evaluate(action)) continue;
        this.#evaluator.shift();
        const after = this.#evaluator.ctx.varStorage.asRecord().toQuintEx(zerog);
        for (const next of statesOf(this.#variables, [after])) found.set(JSON.stringify(next), next);
      } while (this.#choices.advance());
    }
    return [...found.values()];
  }

  #evaluate(action: string): boolean {
    const value = rightOf(this.#evaluator.evaluate(rightOf(toExpr(this.#specification, action))));
    return value.kind === 'bool' && value.value;
  }
}
