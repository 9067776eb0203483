import type { DevFunction } from '../stack.ts';
import type { TemplateResource } from '../../template/resources.ts';
import { asList } from '../../template/values.ts';
import { readCode } from './function-code.ts';
import { readAsynchronous } from './read-asynchronous.ts';
import { readEnvironment } from './read-environment.ts';
import { FUNCTION_TYPES, numberOf, type Reading, templateError } from './reading.ts';
import { readTriggers } from './read-triggers.ts';

/** https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html */
const DEFAULT_TIMEOUT_SECONDS = 3;
const LONGEST_TIMEOUT_SECONDS = 900;
const DEFAULT_MEMORY_MB = 128;

export function readFunctions(reading: Reading): readonly DevFunction[] {
  return reading.resources.ofType(...FUNCTION_TYPES).flatMap((resource) => {
    const read = readFunction(reading, resource);
    return read === undefined ? [] : [read];
  });
}

function readFunction(reading: Reading, resource: TemplateResource): DevFunction | undefined {
  // Folders are called by it.
  if (!/^[A-Za-z0-9]+$/.test(resource.id)) {
    const what = `the logical id \`${resource.id}\` must have letters and digits only`;
    throw templateError(reading, resource.line, what);
  }
  const code = readCode(reading, resource);
  if (code === undefined) return undefined;
  const source = { place: resource, name: resource.name };
  const timeout = numberOf(reading, source, ['Timeout'], DEFAULT_TIMEOUT_SECONDS);
  if (!(timeout >= 1 && timeout <= LONGEST_TIMEOUT_SECONDS)) {
    const what = `\`Timeout\` of ${resource.name} must be from 1 to ${LONGEST_TIMEOUT_SECONDS} seconds`;
    throw templateError(reading, resource.lineOf(['Timeout']), what);
  }
  const reserved = numberOf(reading, source, ['ReservedConcurrentExecutions'], -1);
  if (asList(resource.value['Layers']).length > 0) {
    reading.notes.add(`${resource.name} runs without its layers.`);
  }
  return {
    id: resource.id,
    name: reading.names.nameOf(resource.id),
    ...code,
    timeoutMs: timeout * 1_000,
    memoryMb: numberOf(reading, source, ['MemorySize'], DEFAULT_MEMORY_MB),
    environment: readEnvironment(reading, resource),
    reservedConcurrency: reserved < 0 ? undefined : reserved,
    asynchronous: readAsynchronous(reading, resource),
    triggers: readTriggers(reading, resource),
  };
}
