import type { Rule, Schedule } from '../../template/template-model.ts';
import type { QueueTarget } from '../stack.ts';
import { type Reading, templateError, valueOf } from './reading.ts';
import { stackRule, targetsIn } from './stack-rules.ts';

/** Returns the template's queues that its rules and schedules send to; adds a note for other targets. */
export function queueTargets(reading: Reading): readonly QueueTarget[] {
  return targetsIn(reading.model).flatMap((rule) => {
    if (rule.queueId !== undefined) return [queueTarget(reading, rule, rule.queueId)];
    // An unknown target is among what the template's reader could not read.
    if (rule.functionId === undefined && rule.targetArn.unknown === undefined) {
      const what = rule.targetArn.value ?? 'its target';
      reading.notes.add(
        `${rule.name} does not run here: ${what} is not a function or queue of this template.`,
      );
    }
    return [];
  });
}

function queueTarget(reading: Reading, rule: Rule | Schedule, queueId: string): QueueTarget {
  const queueArn = reading.names.attribute(queueId, 'Arn');
  const messageGroupId = valueOf(reading, rule, rule.messageGroupId);
  if (queueArn.endsWith('.fifo') && messageGroupId === undefined) {
    const what = `${rule.name} sends to a FIFO queue, so its target needs \`SqsParameters.MessageGroupId\``;
    throw templateError(reading, rule.messageGroupId.line, what);
  }
  return { queueArn, messageGroupId, trigger: stackRule(reading, rule) };
}
