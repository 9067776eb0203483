import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { visibleJson } from '../../text/escape-controls.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import type { Claims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import { explainError } from '../explain-error.ts';

/** The claims and the queue that the tools work on. */
export interface Places {
  readonly context: Context;
  readonly options: TableOptions;
  readonly claims: Claims;
  /** Undefined if the command names no dead-letter queue. */
  readonly letters?: DeadLetters;
}

/** A tool of the server. */
interface Tool<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  /** Its arguments; further ones are refused. */
  readonly input: Shape;
  /** Whether it changes something. Default false. */
  readonly changes?: boolean;
  /** Returns the answer as JSON. The signal is aborted when the client cancels or the server stops. */
  answer(input: z.output<z.ZodObject<Shape, z.core.$strict>>, signal: AbortSignal): Promise<unknown>;
}

/** Adds tools to a server, and knows which of them are running. */
export interface Toolbox extends Places {
  add<Shape extends z.ZodRawShape>(tool: Tool<Shape>): void;
  /** Waits for the tools that are running. */
  settled(): Promise<void>;
}

export function toolbox(server: McpServer, places: Places): Toolbox {
  const running = new Set<Promise<CallToolResult>>();
  return {
    ...places,
    async settled() {
      while (running.size > 0) await Promise.all(running); // one may begin while others end
    },
    add({ name, description, input, changes = false, answer }) {
      const schema: z.ZodType = z.strictObject(input);
      const annotations = { readOnlyHint: !changes, destructiveHint: changes, openWorldHint: false };
      server.registerTool(name, { description, inputSchema: schema, annotations }, (given, { signal }) => {
        const both = AbortSignal.any([signal, places.context.signal]);
        const result = resultOf(() => answer(given as Parameters<typeof answer>[0], both));
        running.add(result);
        void result.then(() => running.delete(result));
        return result;
      });
    },
  };
}

/** Answers an error with the line that the command line would print for it. Never rejects. */
async function resultOf(answer: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: visibleJson(await answer(), 1) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: `Error: ${explainError(error).line}` }], isError: true };
  }
}
