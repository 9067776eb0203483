import { type DeadLetterMessage, type DeadLetterPeek, peekDeadLetters, stateOf } from 'batchlatch/operations';
import { errorText } from '../claims/claim-cells.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import type { Column } from '../print/table.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { watch } from '../watch.ts';
import { type DeadLetterOptions, type DeadLetters, withDeadLetters } from './dead-letters.ts';
import { messageJson } from './message-json.ts';

interface ListOptions extends DeadLetterOptions, MessageFilter {
  readonly limit: number;
  readonly watch?: number;
}

/** A filter by the error of messages. */
export interface MessageFilter {
  readonly errorName?: string | undefined;
  readonly errorCode?: string | undefined;
}

/** Returns whether a message failed with the error of the filter. */
export function hasError({ error }: DeadLetterMessage, { errorName, errorCode }: MessageFilter): boolean {
  if (errorName !== undefined && error?.name !== errorName) return false;
  return errorCode === undefined || error?.code === errorCode;
}

/** `dlq list` */
export const listCommand: Run<ListOptions> = (context, options) =>
  withDeadLetters(context, options, async (letters) => {
    const read = (): Promise<DeadLetterPeek> => peek(letters, options);
    const toJson = ({ messages, isWhole, total }: DeadLetterPeek): unknown => ({
      messages: messages.map((message) => messageJson(message, context.now())),
      isWhole,
      total,
    });
    if (options.watch !== undefined) {
      return watch(context, options.watch, {
        title: `Dead letters of ${escapeControls(letters.common.queueUrl)}`,
        read,
        show: (found) => show(found, context),
        toJson,
        changes: changedMessages,
      });
    }
    const found = await read();
    if (context.screen.isJson) context.screen.json(toJson(found));
    else show(found, context);
    return 0;
  });

async function peek({ sqs, common }: DeadLetters, options: ListOptions): Promise<DeadLetterPeek> {
  const found = await peekDeadLetters(sqs, { ...common, limit: options.limit });
  return { ...found, messages: found.messages.filter((message) => hasError(message, options)) };
}

const COLUMNS: readonly Column[] = [
  { heading: 'MESSAGE', min: 10 },
  { heading: 'SENT' },
  { heading: 'RECEIVED', isRight: true, isOptional: true },
  { heading: 'ERROR', min: 12 },
  { heading: 'CLAIM' },
  { heading: 'KEY', min: 12, isOptional: true },
];

function show({ messages, isWhole, total, stillHidden }: DeadLetterPeek, context: Context): void {
  const { screen } = context;
  if (messages.length > 0) {
    screen.table(
      COLUMNS,
      messages.map((message) => cells(message, context)),
    );
  }
  const shown = messages.length === 0 ? 'No messages' : plural(messages.length, 'message');
  screen.note(
    `${shown}; the queue has about ` +
      `${formatNumber(total)}.${isWhole || total <= messages.length ? '' : ' For more, raise --limit.'}`,
  );
  if (stillHidden > 0) screen.note(`Hidden for 30 seconds: ${plural(stillHidden, 'message')}.`);
}

function cells(message: DeadLetterMessage, { screen, now }: Context): string[] {
  const { messageId, sentAt, receiveCount, error, claims, key } = message;
  const states = new Set(claims.map((claim) => stateOf(claim, now())));
  return [
    escapeControls(messageId),
    screen.time(sentAt),
    String(receiveCount),
    errorText(error === undefined ? {} : { error }),
    [...states].join(', '),
    escapeControls(key ?? claims[0]?.key ?? ''),
  ];
}

function changedMessages(before: DeadLetterPeek | undefined, after: DeadLetterPeek): string[] {
  const gone = new Map(before?.messages.map((message) => [message.messageId, message]));
  const lines: string[] = [];
  for (const message of after.messages) {
    if (gone.delete(message.messageId)) continue;
    lines.push(`new ${escapeControls(message.messageId)} ${errorText(message)}`.trimEnd());
  }
  return [...lines, ...[...gone.keys()].map((id) => `gone ${escapeControls(id)}`)];
}
