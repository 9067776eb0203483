/** A program: an SQS queue that takes messages and forgets them. It throttles one entry in so many. It ends with its parent. */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);

const throttledOneIn = Number(process.argv[2]);
let seen = 0;
const isThrottled = (): boolean => {
  seen += 1;
  return throttledOneIn > 0 && seen % throttledOneIn === 0;
};

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const { status, output } = answerTo(
      operation,
      JSON.parse(body) as Entry & { readonly Entries: readonly Entry[] },
    );
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(output));
  });
});
process.send?.(`http://127.0.0.1:${await listenLocally(server)}`);

function answerTo(
  operation: string,
  input: Entry & { readonly Entries: readonly Entry[] },
): { readonly status: number; readonly output: object } {
  if (operation === 'SendMessage') {
    if (!isThrottled()) return { status: 200, output: taken(input) };
    return { status: 400, output: { __type: 'com.amazonaws.sqs#RequestThrottled', message: 'Slow down' } };
  }
  if (operation !== 'SendMessageBatch') {
    return { status: 200, output: { Attributes: { QueueArn: 'arn:aws:sqs:us-east-1:123456789012:orders' } } };
  }
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of input.Entries) {
    const { Id } = entry;
    if (isThrottled()) Failed.push({ Id, Code: 'RequestThrottled', SenderFault: false });
    else Successful.push({ Id, ...taken(entry) });
  }
  return { status: 200, output: { Successful, Failed } };
}

function taken({ MessageBody }: Entry): object {
  return { MessageId: 'f3c2b1a0-0000-4000-8000-000000000000', MD5OfMessageBody: hash('md5', MessageBody) };
}
