import type { Redrive } from '../../template/model.ts';
import type { TemplateQueue } from '../../template/template-model.ts';
import type { DevQueue } from '../stack.ts';
import { type Reading, templateError, valueOf } from './reading.ts';

export function stackQueues(reading: Reading): readonly DevQueue[] {
  return reading.model.queues.map((queue) => stackQueue(reading, queue));
}

function stackQueue(reading: Reading, queue: TemplateQueue): DevQueue {
  const { id, attributes } = queue;
  const name = reading.names.nameOf(id);
  const isFifo = valueOf(reading, queue, queue.fifoQueue) ?? false;
  if (isFifo !== name.endsWith('.fifo')) {
    const why = isFifo
      ? 'is a FIFO queue, so its name must end in `.fifo`'
      : 'is not a FIFO queue, but its name ends in `.fifo`';
    throw templateError(reading, queue.fifoQueue.line, `${queue.name} ${why}`);
  }
  const plain = attributes.flatMap((setting): [string, string][] => {
    const text = valueOf(reading, queue, setting);
    return text === undefined ? [] : [[setting.property ?? '', text]];
  });
  const redrive = valueOf(reading, queue, queue.redrive);
  return {
    id,
    name,
    arn: reading.names.attribute(id, 'Arn'),
    url: reading.names.attribute(id, 'Ref'),
    attributes: {
      ...Object.fromEntries(plain),
      ...(isFifo && { FifoQueue: 'true' }),
      ...(redrive !== undefined && redriveOf(reading, queue, redrive)),
    },
  };
}

function redriveOf(
  reading: Reading,
  { name, redrive: { line } }: TemplateQueue,
  { target, targetArn, maxReceiveCount }: Redrive,
): Readonly<Record<string, string>> {
  const count = maxReceiveCount.value ?? 0;
  if (targetArn === undefined) {
    throw templateError(reading, line, `the redrive policy of ${name} has no \`deadLetterTargetArn\``);
  }
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    const what = `the redrive policy of ${name} must have a \`maxReceiveCount\` from 1 to 1000`;
    throw templateError(reading, line, what);
  }
  if (target === undefined) {
    reading.notes.add(
      `${name} has no dead-letter queue here: ${targetArn} is not in this ` +
        'template. Messages that fail are delivered again without a limit.',
    );
    return {};
  }
  const deadLetterTargetArn = reading.names.attribute(target, 'Arn');
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: count }) };
}
