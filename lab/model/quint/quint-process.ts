// A process of `Quint`: reads the specification once, checks its types, and does with it what it is asked.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  load,
  parse,
  typecheck,
  type TypecheckedStage,
} from '@informalsystems/quint/dist/src/cliCommands.js';
import { toExpr } from '@informalsystems/quint/dist/src/cliHelpers.js';
import { newRng } from '@informalsystems/quint/dist/src/rng.js';
import { Evaluator } from '@informalsystems/quint/dist/src/runtime/impl/evaluator.js';
import { newTraceRecorder } from '@informalsystems/quint/dist/src/runtime/trace.js';
import { guards } from '../guards.ts';
import type { State } from '../state.ts';
import { longInstances, walkedInstances } from '../walked-instances.ts';
import { rightOf } from './right-of.ts';
import type {
  AskedQuint,
  QuintAnswers,
  QuintRequest,
  Simulation,
  SimulationOptions,
} from './requests-to-quint.ts';
import { moduleOf, sourceWith } from './source.ts';
import { SpecifiedSteps } from './specified-steps.ts';
import { statesOf } from './states-of.ts';

const read = readSpecification();
read.catch(() => undefined); // it is told to who asks

process.on('message', ({ id, request }: AskedQuint) => {
  read
    .then((specification) => answerTo(request, specification))
    .then(
      (answer) => process.send?.({ id, answer }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
});

/** As `quint run` reads it. */
async function readSpecification(): Promise<TypecheckedStage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-model-'));
  try {
    const input = path.join(folder, 'claim.qnt');
    const names = guards.map(({ name }) => name);
    await writeFile(input, sourceWith(names, { ...walkedInstances, ...longInstances }));
    const parsed = rightOf(await parse(rightOf(await load({ input }))));
    return rightOf(await typecheck(parsed));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function answerTo(request: QuintRequest, specification: TypecheckedStage): QuintAnswers {
  if ('typecheck' in request) return {}; // that is done when it is read
  if ('simulate' in request) return { simulation: simulate(request.simulate, specification) };
  const steps = new SpecifiedSteps(inModule(specification, moduleOf('walked', request.instance)));
  return { following: request.stepsFrom.map((state) => steps.after(state)) };
}

/** As `quint run` with its TypeScript backend simulates it. */
function simulate(options: SimulationOptions, specification: TypecheckedStage): Simulation {
  const { instance, without, samples, steps, seed, invariant, step = 'step' } = options;
  const main = inModule(specification, without === undefined ? instance : moduleOf('without', without));
  const rng = newRng(BigInt(seed));
  const evaluator = new Evaluator(main.table, newTraceRecorder(0, rng, options.traces), rng, true);
  const traces: State[][] = [];
  const { status, errors } = evaluator.simulate(
    rightOf(toExpr(main, 'init')),
    rightOf(toExpr(main, step)),
    rightOf(toExpr(main, invariant)),
    [],
    samples,
    steps,
    options.traces,
    (_index, _status, variables, states) => void traces.push(statesOf(variables, states)),
  );
  if (status === 'error') throw new Error(JSON.stringify(errors.map(({ message }) => message)));
  return { isViolated: status === 'violation', traces };
}

function inModule(specification: TypecheckedStage, main: string): TypecheckedStage {
  return { ...specification, args: { ...specification.args, main } };
}
