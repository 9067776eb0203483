import type { Readable, Writable } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import { type DeadLetterOptions, withDeadLetters } from '../dead-letters/dead-letters.ts';
import type { Run } from '../subcommand.ts';
import { versionOfPackage } from '../version.ts';
import { addChangeTools } from './change-tools.ts';
import { addClaimTools } from './claim-tools.ts';
import { addDeadLetterTools } from './dead-letter-tools.ts';
import { addDoctorTool } from './doctor-tool.ts';
import { type Places, toolbox } from './toolbox.ts';

interface McpOptions extends DeadLetterOptions {
  readonly allowChanges?: boolean;
  readonly operator?: string;
}

/** `mcp` */
export const mcpCommand: Run<McpOptions> = (context, options) =>
  withClaims(context, options, async (claims) => {
    const places = { context, options, claims };
    if (options.queueUrl === undefined && options.queue === undefined) await serve(places, options);
    else await withDeadLetters(context, options, (letters) => serve({ ...places, letters }, options));
    return 0 as const;
  });

/** Serves until the client closes standard input, or a signal stops the command. */
async function serve(places: Places, { allowChanges = false, operator }: McpOptions): Promise<void> {
  const { context } = places;
  const server = new McpServer({ name: 'batchlatch', version: versionOfPackage() });
  const tools = toolbox(server, places);
  addClaimTools(tools);
  addDeadLetterTools(tools);
  addDoctorTool(tools);
  if (allowChanges) addChangeTools(tools, operator ?? `${context.operator()}, by mcp`.slice(0, 128));
  const ended = untilEnded(context);
  // The command's streams are those of a process, of which `ProcessIo` names only what commands use.
  const transport = new StdioServerTransport(context.stdin as Readable, context.stdout as Writable);
  await server.connect(transport);
  context.screen.note(`Serving ${places.claims.place} to an MCP client, until it closes standard input.`);
  await ended;
  await tools.settled(); // a change that was sent may have been made: its store stays open until it answers
  await server.close();
}

function untilEnded({ stdin, signal }: Context): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close']) stdin.once(event, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
