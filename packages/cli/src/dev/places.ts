import { ConfigurationError } from '../tool-base/errors.ts';
import { freePort } from './emulators/free-port.ts';

/** The region and account of local resources, as emulators assume them. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';

/** The addresses of the local services, such as `http://127.0.0.1:41233`. */
export interface Places {
  readonly sqs: string;
  readonly dynamodb: string;
  readonly eventbridge: string;
  readonly kinesis: string;
}

/** Ports on the loopback interface. Default: free ones. */
export interface PlacePorts {
  readonly sqs?: number | undefined;
  readonly dynamodb?: number | undefined;
  readonly eventbridge?: number | undefined;
  readonly kinesis?: number | undefined;
}

/** Chooses addresses before anything starts: the template is read with them. */
export async function choosePlaces(ports: PlacePorts = {}): Promise<Places> {
  const address = async (port: number | undefined): Promise<string> =>
    `http://127.0.0.1:${port ?? (await freePort())}`;
  return {
    sqs: await address(ports.sqs),
    dynamodb: await address(ports.dynamodb),
    eventbridge: await address(ports.eventbridge),
    kinesis: await address(ports.kinesis),
  };
}

/** Returns the ARN of a local resource, such as `localArn('sqs', 'orders')`. */
export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;
}

/** Returns the last part of an ARN, after a colon or slash. */
export function nameInArn(arn: string): string {
  return arn.slice(Math.max(arn.lastIndexOf(':'), arn.lastIndexOf('/')) + 1);
}

/** Returns the error of a server that did not start, with advice if its port is in use. */
export function portError(error: unknown, place: string): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const why = PORT_PROBLEMS.get(code);
  return why === undefined
    ? error
    : new ConfigurationError(`The port of ${place} ${why}; choose another.`, { cause: error });
}

const PORT_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'is in use by another program'],
  ['EACCES', 'needs rights that this user does not have'],
  ['ERR_SOCKET_BAD_PORT', 'is above 65535'],
]);
