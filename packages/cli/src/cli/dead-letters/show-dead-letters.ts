import { type DeadLetterMessage, peekDeadLetters } from 'batchlatch/operations';
import { errorText, shownState } from '../claims/claim-cells.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { type DeadLetterOptions, withDeadLetters } from './dead-letters.ts';
import { messageJson } from './message-json.ts';

interface ShowOptions extends DeadLetterOptions {
  readonly limit: number;
  readonly showBody?: boolean;
}

/** `dlq show` */
export const showCommand: Run<ShowOptions> = (context, options, ids) =>
  withDeadLetters(context, options, async ({ sqs, common }) => {
    const { screen } = context;
    const { messages } = await peekDeadLetters(sqs, { ...common, limit: options.limit });
    const found = messages.filter(
      ({ messageId, recordId }) => ids.includes(messageId) || ids.includes(recordId),
    );
    const { showBody = false } = options;
    if (screen.isJson) {
      screen.json({ messages: found.map((message) => messageJson(message, context.now(), showBody)) });
    } else {
      for (const [index, message] of found.entries()) {
        if (index > 0) screen.line();
        show(message, context, showBody);
      }
    }
    const known = new Set(found.flatMap(({ messageId, recordId }) => [messageId, recordId]));
    const missing = ids.filter((id) => !known.has(id));
    for (const id of missing) {
      screen.note(
        `There is no message ${escapeControls(id)} among the ` +
          `${plural(messages.length, 'message')} that could be received.`,
      );
    }
    return missing.length > 0 ? 1 : 0;
  });

function show(message: DeadLetterMessage, context: Context, showBody: boolean): void {
  const { screen } = context;
  const { messageId, recordId, sentAt, receiveCount, messageGroupId, sentBy, source, key } = message;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['message', escapeControls(messageId)],
    ['record id', recordId === messageId ? undefined : escapeControls(recordId)],
    ['sent', sentAt === undefined ? undefined : screen.time(sentAt)],
    ['received', `${formatNumber(receiveCount)} times`],
    ['group', messageGroupId && escapeControls(messageGroupId)],
    ['sent here by', sentBy],
    ['came from', source && escapeControls(source)],
    ['error', errorText(message) || undefined],
    ['error code', message.error?.code && escapeControls(message.error.code)],
    ['key', key && escapeControls(key)],
  ];
  for (const [name, value] of fields) {
    if (value !== undefined) screen.line(`${screen.paint('dim', name.padEnd(13))} ${value}`);
  }
  for (const claim of message.claims) {
    screen.line(
      `${screen.paint('dim', 'claim'.padEnd(13))} ${shownState(claim, context)} ` +
        `${escapeControls(claim.key)} attempt ${claim.attempt}`,
    );
  }
  if (!showBody) {
    screen.line(
      `${screen.paint('dim', 'body'.padEnd(13))} ${formatNumber(message.body.length)} characters; ` +
        '--show-body shows it',
    );
    return;
  }
  for (const [name, value] of Object.entries(message.attributes)) {
    screen.line(
      `${screen.paint('dim', 'attribute'.padEnd(13))} ${escapeControls(name)} = ${escapeControls(value)}`,
    );
  }
  screen.line(`${screen.paint('dim', 'body'.padEnd(13))} ${escapeControls(message.body)}`);
}
