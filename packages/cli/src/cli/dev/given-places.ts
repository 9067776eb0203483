import type { Places } from '../../dev/places.ts';
import type { DevFunction } from '../../dev/stack.ts';
import type { ProcessIo } from '../process-io.ts';
import type { Variables } from './stack-options.ts';

/** An address where nothing listens, so that a function that is tried out cannot reach an account of AWS. */
const NOWHERE = 'http://127.0.0.1:9';

/** Returns the endpoints that the environment sets for AWS's SDKs, else an address where nothing listens. */
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

/** Returns whether the function has no endpoint for SQS or DynamoDB. */
export function isWithoutPlaces({ environment }: DevFunction): boolean {
  return ['SQS', 'DYNAMODB'].some((service) => environment[`AWS_ENDPOINT_URL_${service}`] === NOWHERE);
}

/** Removes the dead endpoints if `--env-vars` has credentials: then the function may call AWS. */
export function withGivenCredentials(fn: DevFunction, variables: Variables): DevFunction {
  const given = { ...variables['Parameters'], ...variables[fn.name], ...variables[fn.id] };
  if (given['AWS_ACCESS_KEY_ID'] === undefined) return fn;
  const environment = Object.entries(fn.environment).filter(([, value]) => value !== NOWHERE);
  return { ...fn, environment: Object.fromEntries(environment) };
}
