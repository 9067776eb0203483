import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { SimDynamoDB, Way } from './sim-dynamodb.ts';

type Client = Pick<DynamoDBClient, 'send'>;

/** As AWS's SDK by default: a request is sent three times at most. */
export const sdkWay: Way = {
  mostSendings: 3,
  unanswered: () => exception('TimeoutError', 'no answer'),
  aborted: () => exception('AbortError', 'aborted'),
};

/** A client of AWS's SDK, as a process has it. */
export function sdkClientOf(dynamoDB: SimDynamoDB, process: SimProcess): Client {
  const send = (
    command: { readonly constructor: { readonly name: string }; readonly input: unknown },
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<unknown> =>
    dynamoDB.request(
      process,
      command.constructor.name.replace(/Command$/, ''),
      command.input,
      options?.abortSignal,
    );
  return { send: send as Client['send'] };
}

function exception(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
