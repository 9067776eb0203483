import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { endTogether } from './end-together.ts';

/** Where an answer is cut. */
export type Cut =
  | 'before the answer'
  | 'inside its header'
  | 'inside its body'
  | 'before its last byte'
  | 'after its last byte';

/** How the answers of a server look. */
export interface Protocol {
  /** How long the header of an answer is. */
  readonly headerLength: (answer: Buffer) => number;
  /** Whether what has come so far is the whole of it. */
  readonly isWhole: (answer: Buffer) => boolean;
}

export const PROTOCOLS = {
  http: {
    headerLength: (answer) => answer.indexOf('\r\n\r\n') + 4,
    isWhole(answer) {
      const header = answer.indexOf('\r\n\r\n');
      const [, length = ''] =
        /content-length: *(\d+)/i.exec(answer.subarray(0, header).toString('latin1')) ?? [];
      return header !== -1 && answer.length === header + 4 + Number(length);
    },
  },
  // A message's type and length; the last one is ReadyForQuery.
  postgres: {
    headerLength: () => 5,
    isWhole: (answer) => answer.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5])),
  },
  // Redis writes an answer of this size at once.
  redis: {
    headerLength: (answer) => answer.indexOf('\r\n') + 2,
    isWhole: () => true,
  },
} as const satisfies Record<string, Protocol>;

export interface AnswerCutter {
  readonly port: number;
  /** Of the answers from now on, cuts that one: 1 is the next. Once. */
  cutAnswer(nth: number, where: Cut): void;
  readonly cuts: () => number;
  stop(): void;
}

/** A way to a server on which an answer is cut at a certain place, whereupon the connection ends. */
export async function startAnswerCutter(
  { hostname, port }: { readonly hostname: string; readonly port: string },
  protocol: Protocol,
): Promise<AnswerCutter> {
  const sockets = new Set<Socket>();
  let left = 0;
  let where: Cut = 'before the answer';
  let cuts = 0;

  const server = createServer((client) => {
    const target = connect({ host: hostname, port: Number(port) });
    endTogether(client, target, sockets);
    let answer = Buffer.alloc(0);
    client.on('data', (data) => target.write(data));
    target.on('data', (data) => {
      if (left === 0) return void client.write(data);
      answer = Buffer.concat([answer, data]);
      if (!protocol.isWhole(answer)) return;
      const whole = answer;
      answer = Buffer.alloc(0);
      left -= 1;
      if (left > 0) return void client.write(whole);
      cuts += 1;
      target.destroySoon();
      client.end(whole.subarray(0, lengthUntil(where, whole, protocol)));
    });
  });
  const ownPort = await listenLocally(server);
  return {
    port: ownPort,
    cutAnswer(nth, at) {
      left = nth;
      where = at;
    },
    cuts: () => cuts,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function lengthUntil(where: Cut, answer: Buffer, { headerLength }: Protocol): number {
  const header = headerLength(answer);
  switch (where) {
    case 'before the answer':
      return 0;
    case 'inside its header':
      return Math.ceil(header / 2);
    case 'inside its body':
      return Math.ceil((header + answer.length) / 2);
    case 'before its last byte':
      return answer.length - 1;
    case 'after its last byte':
      return answer.length;
  }
}
