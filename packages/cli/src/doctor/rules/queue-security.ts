import type { Queue } from '../../template/model.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';
import { sourceQueues } from '../queues-with-functions.ts';

/** Rules for the security of queues and dead-letter queues. */
export const QUEUE_SECURITY_RULES: Rules = {
  'queue-without-tls-policy': {
    severity: 'info',
    isOptional: true,
    what: 'a queue without a policy that refuses requests without TLS',
    why: 'Clients may send messages unencrypted.',
    fix: 'an `AWS::SQS::QueuePolicy` that denies `aws:SecureTransport: false`',
  },
  'queue-not-encrypted': {
    severity: 'info',
    what: 'a queue whose encryption is switched off',
    why: 'Messages are stored unencrypted.',
    fix: '`SqsManagedSseEnabled: true`',
  },
};

export function checkQueueSecurity(examination: Examination): void {
  const sources = sourceQueues(examination);
  for (const queue of sources) {
    examination.checked('queue', queue);
    checkSecurity(examination, queue);
  }
  const targets = new Set([...sources].map(({ redrive }) => redrive.value?.target));
  for (const queue of examination.model.queues) {
    if (sources.has(queue) || !targets.has(queue.id)) continue;
    examination.checked('dead-letter queue', queue);
    checkSecurity(examination, queue);
  }
}

function checkSecurity(examination: Examination, queue: Queue): void {
  if (examination.known(queue, 'its policy', queue.requiresTls) === false) {
    examination.report('queue-without-tls-policy', queue, {
      message: `${queue.name} has no policy that refuses requests without TLS.`,
      fix: [
        `${examination.model.origin === 'live' ? 'Queue' : queue.id}TlsPolicy:`,
        '  Type: AWS::SQS::QueuePolicy',
        '  Properties:',
        examination.model.origin === 'live'
          ? `    Queues: [the URL of ${queue.name}]`
          : `    Queues: [!Ref ${queue.id}]`,
        '    PolicyDocument:',
        "      Version: '2012-10-17'",
        '      Statement:',
        '        - Effect: Deny',
        "          Principal: '*'",
        "          Action: 'sqs:*'",
        `          Resource: ${examination.arnOf(queue)}`,
        "          Condition: { Bool: { 'aws:SecureTransport': false } }",
      ],
      fixBelongsTo: 'none',
    });
  }
  if (examination.known(queue, 'SqsManagedSseEnabled', queue.isEncrypted) === false) {
    examination.report('queue-not-encrypted', queue, {
      message: `${queue.name} is not encrypted.`,
      fix: 'SqsManagedSseEnabled: true',
      line: queue.isEncrypted.line,
    });
  }
}
