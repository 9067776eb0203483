import { nameInArn, type Places } from '../places.ts';
import { localCall } from './local-call.ts';

/** Sends a message to a local queue. Attributes are strings, or numbers as `{ number: '200' }`. */
export type SendToQueue = (
  queueArn: string,
  body: string,
  attributes?: Readonly<Record<string, string | { readonly number: string }>>,
  messageGroupId?: string,
) => Promise<void>;

export function sendToQueues(places: Places): SendToQueue {
  return async (queueArn, body, attributes = {}, messageGroupId) => {
    const name = nameInArn(queueArn);
    await localCall(places.sqs, 'AmazonSQS.SendMessage', {
      QueueUrl: `${places.sqs}/${queueArn.split(':')[4] ?? ''}/${name}`,
      MessageBody: body,
      ...(messageGroupId !== undefined && { MessageGroupId: messageGroupId }),
      MessageAttributes: Object.fromEntries(
        Object.entries(attributes).map(([attribute, value]) => [
          attribute,
          typeof value === 'string'
            ? { DataType: 'String', StringValue: value }
            : { DataType: 'Number', StringValue: value.number },
        ]),
      ),
    });
  };
}
