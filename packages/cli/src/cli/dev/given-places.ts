import type { Places } from '../../dev/places.ts';
import type { DevFunction } from '../../dev/stack.ts';
import type { ProcessIo } from '../process-io.ts';
import type { Variables } from './stack-options.ts';

/** Where nobody answers: without an endpoint of its own a function that is tried out reaches no account of AWS. */
const NOWHERE = 'http://127.0.0.1:9';

/** The endpoints that the environment names, as AWS's SDKs read it; else nowhere. */
export function givenPlaces(env: ProcessIo['env']): Places {
  const of = (service: string): string =>
    env[`AWS_ENDPOINT_URL_${service}`] ?? env['AWS_ENDPOINT_URL'] ?? NOWHERE;
  return {
    sqs: of('SQS'),
    dynamodb: of('DYNAMODB'),
    eventbridge: of('EVENTBRIDGE'),
    kinesis: of('KINESIS'),
  };
}

/** Whether the function would look for a service where there is none. */
export function isWithoutPlaces({ environment }: DevFunction): boolean {
  return ['SQS', 'DYNAMODB'].some((service) => environment[`AWS_ENDPOINT_URL_${service}`] === NOWHERE);
}

/** With credentials of its own, in `--env-vars`, the function may go to AWS. */
export function withGivenCredentials(fn: DevFunction, variables: Variables): DevFunction {
  const given = { ...variables['Parameters'], ...variables[fn.name], ...variables[fn.id] };
  if (given['AWS_ACCESS_KEY_ID'] === undefined) return fn;
  const environment = Object.entries(fn.environment).filter(([, value]) => value !== NOWHERE);
  return { ...fn, environment: Object.fromEntries(environment) };
}
