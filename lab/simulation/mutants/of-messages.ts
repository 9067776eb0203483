import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** Senders, outboxes and routes, which the simulation does not have: tests of their rooms notice. */
export const mutantsOfMessages: readonly Mutant[] = [
  pinned('test/sender/order.test.ts', [
    one('sender: ordered groups', 'of a group one message is under way', 'ordered-groups', 'false'),
    one(
      'sender: given up under way',
      'the next message of a group waits for the answer, also to one whose call is over',
      'under-way-holds-group',
      (_, [isNone, _isSending, isOver]) => `${isNone} || ${isOver}`,
    ),
    one('sender: failed message', 'a failed message holds its group', 'failed-holds-group', 'true'),
    one(
      'sender: five minutes',
      'an unknown message is sent again only while the queue drops second copies',
      'no-second-copies',
      (_, [isStandard]) => `${isStandard}`,
    ),
    one(
      'sender: deduplication id',
      'a message is sent again with its deduplication id',
      'deduplication-ids',
      'false',
    ),
  ]),
  pinned('test/sender/answers.test.ts', [
    one(
      'sender: standard queues',
      'an unknown message is not sent again to a standard queue',
      'no-second-copies',
      (_, [_isStandard, isLate]) => `${isLate}`,
    ),
  ]),
  pinned('test/outbox/dynamodb-relay.test.ts', [
    one('DynamoDB outbox: parked row', 'a parked row holds its group', 'parked-row-holds-lane', 'false'),
    one('DynamoDB outbox: deletion', 'a row is deleted only once it is sent', 'done-rows-are-sent', 'true'),
  ]),
  pinned('test/outbox/dynamodb-sweep.test.ts', [
    one('DynamoDB outbox: sweep', 'younger rows are left to the stream', 'swept-age', 'clock.now()'),
  ]),
  pinned('test/outbox/relay-ends.test.ts', [
    one(
      'PostgreSQL outbox: deletion',
      'a row is deleted only once it is sent',
      'deleted-rows-are-sent',
      'rows',
    ),
  ]),
  pinned('test/outbox/postgres-outbox.test.ts', [
    one(
      'PostgreSQL outbox: parked row',
      'a parked row holds its group',
      'parked-row-holds-group',
      "() => 'false'",
    ),
  ]),
  pinned('test/outbox/relay-round.test.ts', [
    one(
      'PostgreSQL outbox: locks',
      'a relay sends the groups that it has locked',
      'rows-of-locked-groups',
      (rows) => rows.replace('locked', 'groups'),
    ),
    one('PostgreSQL outbox: order', 'the rows of a group are sent in order', 'rows-in-order', 'read'),
  ]),
  pinned('test/routes/routes.test.ts', [
    one(
      'routes: type in key',
      'records of two types are never the same work',
      'type-in-key',
      (_, [make, select, namespace]) => `${make}(${select}, ${namespace})`,
    ),
    one(
      'routes: upgrade before key',
      'both versions of the same work have the same key',
      'upgraded-before-key',
      (routed) => routed.replace('keyOf(record)', 'keyOf(delivered)'),
    ),
    one(
      'routes: unknown type',
      'a record of an unknown type is handed back',
      'unknown-type-handed-back',
      'false',
    ),
  ]),
].flat();

function pinned(pinnedBy: string, all: readonly Mutant[]): Mutant[] {
  return all.map((mutant) => ({ ...mutant, pinnedBy }));
}
