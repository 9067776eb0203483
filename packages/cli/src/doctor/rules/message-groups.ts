import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/** Rules for the message groups of fair queues. They see deployed functions only, in their logs. */
export const MESSAGE_GROUP_RULES: Rules = {
  'message-group-per-message': {
    severity: 'warning',
    what: 'a standard queue where nearly every message has a message group of its own',
    why:
      'Fair queues balance between groups. Where each message is a group, a tenant with many messages ' +
      'delays the others.',
    fix: "the tenant as message group: `group: 'tenantId'`",
    docs: 'how-to/multi-tenant.md',
  },
};

/** A hundred messages of 1,000 equally busy tenants have 95 groups. */
const NEARLY_EVERY = 0.95;

export function checkMessageGroups(examination: Examination): void {
  for (const [functionId, setting] of examination.model.groups ?? []) {
    const lambda = examination.functionOf({ functionId });
    const counts = lambda && examination.known(lambda, 'its message groups', setting);
    if (lambda === undefined || counts === undefined) continue;
    const { messages, distinct } = counts;
    examination.checked('message groups of', lambda);
    if (distinct < messages * NEARLY_EVERY) continue;
    examination.report('message-group-per-message', lambda, {
      message:
        `The last ${messages} messages with a group that a process of ${lambda.name} received from ` +
        `standard queues have ${distinct} message groups.`,
      fix: [
        "# where messages are described: message(schema, { group: 'tenantId' }), or MessageGroupId: tenantId",
        '# ignore this where that many tenants send',
      ],
      fixBelongsTo: 'none',
    });
  }
}
