import type { DynamoDBCall, Refusal } from '../emulators/dynamodb-proxy.ts';
import type { Trouble } from './demo-store.ts';
import type { OrderMessage } from './order-messages.ts';

export interface TroubledChargesSetup {
  readonly messages: readonly OrderMessage[];
  readonly chargesTable: string;
  readonly trouble: Trouble;
  /** Whether nothing is declined any more. Default: never. */
  readonly isOver?: () => boolean;
}

const declined: Refusal = { name: 'CardDeclined', message: 'The card was declined' };

/**
 * What goes wrong with charges, and how: on their way to the database, because the example is what a reader
 * copies and has no trouble built in. The charge that kills its process is never made.
 */
export function troubledCharges({
  messages,
  chargesTable,
  trouble,
  isOver = () => false,
}: TroubledChargesSetup): (call: DynamoDBCall) => Promise<Refusal | undefined> | undefined {
  const orderOf = (wanted: string): string | undefined =>
    messages.find(({ peculiarity }) => peculiarity === wanted)?.orderId;
  const alwaysDeclined = orderOf('always-declined');
  const declinedTwice = orderOf('declined-twice');
  const killer = orderOf('kills-its-process');
  let declinesLeft = 2;
  let killsLeft = 1;

  return ({ operation, body, signal }) => {
    const orderId = operation === 'PutItem' ? orderOfCharge(body, chargesTable) : undefined;
    if (orderId === undefined) return undefined;
    if (orderId === alwaysDeclined && !isOver()) return Promise.resolve(declined);
    if (orderId === declinedTwice && declinesLeft > 0) {
      declinesLeft -= 1;
      return Promise.resolve(declined);
    }
    if (orderId === killer && killsLeft > 0) {
      killsLeft -= 1;
      return killBeforeCharge(orderId, trouble, signal).then((isKilled) => {
        if (isKilled) return undefined;
        killsLeft += 1; // its function ran out of time: at the next delivery
        return declined;
      });
    }
    return undefined;
  };
}

/**
 * Kills the process of an order once all of its claims but one are settled: what is charged and not yet settled when a process
 * dies is charged again, and only a transaction helps. False: its function ran out of time meanwhile.
 */
export async function killBeforeCharge(
  orderId: string,
  trouble: Trouble,
  gone: AbortSignal,
): Promise<boolean> {
  await trouble.untilOthersAreSettled(orderId, gone);
  return trouble.kill(orderId, 'before it is charged', gone);
}

function orderOfCharge(body: string, chargesTable: string): string | undefined {
  const { TableName, Item } = JSON.parse(body) as {
    TableName?: string;
    Item?: { orderId?: { S?: string } };
  };
  return TableName === chargesTable ? Item?.orderId?.S : undefined;
}
