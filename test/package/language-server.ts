import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const TSSERVER = createRequire(import.meta.url).resolve('typescript-api/lib/tsserver.js'); // TypeScript 7 has none

/** A place in a file; both numbers begin with 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where an editor goes from the first `name` of the file, by TypeScript's own server for editors. */
export async function definitionOf(name: string, file: string): Promise<readonly Place[]> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(name));
  const place = { file, line: line + 1, offset: (lines[line] ?? '').indexOf(name) + 1 };
  const server = spawn(process.execPath, [TSSERVER, '--disableAutomaticTypingAcquisition']);
  try {
    ask(server, 0, 'open', { file });
    ask(server, 1, 'definition', place);
    const found = await answerTo(server, 1);
    return found.map(({ file: where, start }) => ({ file: where, line: start.line, column: start.offset }));
  } finally {
    server.kill();
  }
}

interface Definition {
  readonly file: string;
  readonly start: { readonly line: number; readonly offset: number };
}

function ask(server: ChildProcessWithoutNullStreams, seq: number, command: string, args: object): void {
  server.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`);
}

/** Each message is a line of JSON, below headers. */
async function answerTo(server: ChildProcessWithoutNullStreams, seq: number): Promise<readonly Definition[]> {
  let text = '';
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    text += chunk;
    for (const line of text.split('\n').slice(0, -1)) {
      if (!line.startsWith('{')) continue;
      const message = JSON.parse(line) as { request_seq?: number; body?: readonly Definition[] };
      if (message.request_seq === seq) return message.body ?? [];
    }
    text = text.slice(text.lastIndexOf('\n') + 1);
  }
  throw new Error('The server has ended without an answer');
}
