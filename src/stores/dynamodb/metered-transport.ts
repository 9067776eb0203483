import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { Transport } from './transport.ts';

/** A transport that has DynamoDB say what its requests cost. */
export interface MeteredTransport extends Transport {
  /** Capacity units of all answers so far; undefined where none of them said. */
  units(): number | undefined;
}

export function meteredTransport(transport: Transport): MeteredTransport {
  let units: number | undefined;
  return {
    async send(operation, input, signal) {
      const answer = await transport.send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' }, signal);
      const { ConsumedCapacity } = answer as {
        readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
      };
      for (const { CapacityUnits } of [ConsumedCapacity ?? []].flat()) {
        if (CapacityUnits !== undefined) units = (units ?? 0) + CapacityUnits;
      }
      return answer;
    },
    units: () => units,
  };
}
