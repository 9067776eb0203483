import type { TemplateFunction } from '../../template/template-model.ts';
import type { DevFunction } from '../stack.ts';
import { localCode } from './function-code.ts';
import { type Reading, templateError, valueOf, wholeOf } from './reading.ts';
import { asynchronousOf } from './stack-asynchronous.ts';
import { environmentOf } from './stack-environment.ts';
import { httpTriggersOf } from './stack-http.ts';
import { mappingsOf } from './stack-mappings.ts';
import { stackRule, targetsIn } from './stack-rules.ts';

/** https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html */
const TIMEOUT_SECONDS = [1, 900] as const;

export function stackFunctions(reading: Reading): readonly DevFunction[] {
  return reading.model.functions.flatMap((fn) => stackFunction(reading, fn) ?? []);
}

function stackFunction(reading: Reading, fn: TemplateFunction): DevFunction | undefined {
  // Folders are named after the logical id.
  if (!/^[A-Za-z0-9]+$/.test(fn.id)) {
    throw templateError(reading, fn.line, `the logical id \`${fn.id}\` must have letters and digits only`);
  }
  const own: Reading = { ...reading, notes: new Set() };
  const code = localCode(own, fn);
  const environment = code === undefined ? {} : environmentOf(own, fn);
  if (code !== undefined && fn.hasLayers) own.notes.add(`${fn.name} runs without its layers.`);
  for (const note of own.notes) reading.notes.add(note);
  reading.functionNotes.set(fn.id, own.notes);
  if (code === undefined) return undefined;
  const timeout = wholeOf(reading, fn, fn.timeoutSeconds, TIMEOUT_SECONDS) ?? 0;
  const reserved = valueOf(reading, fn, fn.reservedConcurrency) ?? -1;
  return {
    id: fn.id,
    name: reading.names.nameOf(fn.id),
    ...code,
    timeoutMs: timeout * 1_000,
    memoryMb: valueOf(reading, fn, fn.memoryMb) ?? 0,
    environment,
    reservedConcurrency: reserved < 0 ? undefined : reserved,
    asynchronous: asynchronousOf(reading, fn),
    triggers: [
      ...mappingsOf(reading, fn),
      ...targetsIn(reading.model)
        .filter(({ functionId }) => functionId === fn.id)
        .map((rule) => stackRule(reading, rule)),
      ...httpTriggersOf(reading, fn),
    ],
  };
}
