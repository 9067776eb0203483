import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A client that has DynamoDB say what its requests cost. */
export interface MeteredClient extends Pick<DynamoDBClient, 'send'> {
  /** Capacity units of all answers so far; undefined where none of them said. */
  units(): number | undefined;
}

export function meteredClient(client: Pick<DynamoDBClient, 'send'>): MeteredClient {
  let units: number | undefined;
  const send = async (
    command: Parameters<DynamoDBClient['send']>[0],
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<unknown> => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    const answer = (await client.send(command, options)) as {
      readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
    };
    for (const { CapacityUnits } of [answer.ConsumedCapacity ?? []].flat()) {
      if (CapacityUnits !== undefined) units = (units ?? 0) + CapacityUnits;
    }
    return answer;
  };
  return { send: send as DynamoDBClient['send'], units: () => units };
}
