import { ConfigurationError } from '../tool-base/errors.ts';
import { freePort } from './emulators/free-port.ts';

/** The region and the account of this machine: what the emulators take where a request names none. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';

/** Where the services of this machine answer, or will: addresses such as `http://127.0.0.1:41233`. */
export interface Places {
  readonly sqs: string;
  readonly dynamodb: string;
  readonly eventbridge: string;
  readonly kinesis: string;
}

/** Ports of the loopback interface; a free one where none is given. */
export interface PlacePorts {
  readonly sqs?: number | undefined;
  readonly dynamodb?: number | undefined;
  readonly eventbridge?: number | undefined;
  readonly kinesis?: number | undefined;
}

/** Chooses the addresses before anything is started, since a template is read with them. */
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

/** The ARN that something has on this machine, such as `localArn('sqs', 'orders')`. */
export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;
}

/** The last part of an ARN, after its last colon or slash. */
export function nameInArn(arn: string): string {
  return arn.slice(Math.max(arn.lastIndexOf(':'), arn.lastIndexOf('/')) + 1);
}

/** Of a server that does not start: says so where its port is taken. Throw it. */
export function portError(error: unknown, place: string): unknown {
  const isTaken =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';
  if (!isTaken) return error;
  return new ConfigurationError(`The port of ${place} is in use by another program; choose another.`, {
    cause: error,
  });
}
