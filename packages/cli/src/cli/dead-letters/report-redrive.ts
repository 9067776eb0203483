import type { RedrivenMessage, RedriveResult, WhyLeft } from 'batchlatch/operations';
import type { Context } from '../context.ts';
import { isNoQueue } from '../connect/sqs.ts';
import { explainError } from '../explain-error.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural } from '../print/plural.ts';

/** Returns the output of `--json` for a redrive. */
export function redriveJson(result: RedriveResult, isDryRun: boolean): unknown {
  const { error, messages, ...rest } = result;
  return {
    ...rest,
    isDryRun,
    ...(error !== undefined && { error: shownError(error) }),
    messages: messages.map(({ error: why, ...message }) => ({
      ...message,
      ...(why !== undefined && { error: shownError(why) }),
    })),
  };
}

function shownError({ name, message }: Error): { readonly name: string; readonly message: string } {
  return { name, message };
}

/** Returns exit status 1 if a chosen message is still there, or the redrive ended early. */
export function redriveStatus({ ended, left, undeleted, notFound, notSeen }: RedriveResult): 0 | 1 {
  const isWhole = ended === 'whole' && left === 0 && undeleted.length === 0;
  return isWhole && notFound.length === 0 && notSeen === 0 ? 0 : 1;
}

/** Prints the messages that were moved, or would be, and those that were not. */
export function reportRedrive(
  result: RedriveResult,
  { screen }: Context,
  { isPlan }: { readonly isPlan: boolean },
): void {
  const { moved, deleted, released, messages, undeleted, notFound, notSeen, stillHidden, error, ended } =
    result;
  const say = isPlan ? screen.note : screen.line;
  const verb = (amount: number): string => (isPlan ? 'would be' : amount === 1 ? 'was' : 'were');
  say(
    `${plural(moved, 'message')} ${verb(moved)} moved, ${plural(released, 'claim')} ` +
      `${isPlan ? 'would be ' : ''}released first.`,
  );
  if (deleted > 0) say(`${plural(deleted, 'message')} ${verb(deleted)} deleted: their work is done.`);
  const left = messages.filter(({ outcome }) => outcome === 'left');
  if (left.length > 0) {
    screen.table(
      [{ heading: 'LEFT', min: 10 }, { heading: 'CLAIM' }, { heading: 'WHY', min: 20 }],
      left.map((message) => [escapeControls(message.messageId), stateText(message), whyText(message)]),
      'note',
    );
  }
  if (result.left > left.length) screen.note(`${plural(result.left - left.length, 'more message')} left.`);
  for (const id of notFound)
    screen.note(`${escapeControls(id)} was not found: somebody may have received it just now.`);
  for (const id of undeleted) {
    screen.note(`${escapeControls(id)} was moved and is still here: delete it, or it is moved once more.`);
  }
  if (notSeen > 0) {
    screen.note(
      `${plural(notSeen, 'message')} could not be seen: one that was left comes before them in their group.`,
    );
  }
  if (stillHidden > 0) screen.note(`Hidden for up to five minutes: ${plural(stillHidden, 'message')}.`);
  if (ended === 'failed' && error !== undefined) screen.note(`Error: ${errorLine(error)}`);
  if (ended === 'aborted') screen.note('Stopped. Run it again for the rest.');
}

function errorLine(error: Error): string {
  // Messages were received from the queue of the options, so it is the other one.
  return isNoQueue(error)
    ? 'The queue that messages are sent to does not exist: name another with --to URL.'
    : explainError(error).line;
}

function stateText({ claims }: RedrivenMessage): string {
  return [...new Set(claims.map(({ state }) => state))].join(', ');
}

function whyText({ why = 'refused', error }: RedrivenMessage): string {
  // The library's message names its options, not those of the command line.
  return error === undefined || why === 'no-destination'
    ? REASONS[why]
    : `${REASONS[why]}: ${escapeControls(error.message)}`;
}

const REASONS: Readonly<Record<WhyLeft, string>> = {
  running: 'a handler may be at work on it',
  completed: 'its work is done: --completed delete or --completed move',
  unproven: 'its claim does not know this message: --namespace, or release the claim by hand',
  'not-released': 'its claim could not be released: try again',
  'came-back': 'it was moved, failed again and is back',
  'no-destination': 'it is not known where it came from: --to URL',
  behind: 'one before it in its group was left',
  refused: 'SQS refused it',
  unanswered: 'SQS did not answer: it may be in both queues',
};
