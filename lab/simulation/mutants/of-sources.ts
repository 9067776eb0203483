import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** Lanes and checkpoints. */
export const mutantsOfSources: readonly Mutant[] = [
  one(
    'FIFO by ARN',
    'a standard queue with message groups is not FIFO',
    'fifo-by-arn',
    'attributes?.MessageGroupId !== undefined',
  ),
  one('lanes of FIFO groups', 'messages of a FIFO group run one after the other', 'fifo-by-arn', 'false'),
  one(
    'stream: checkpoint',
    'the lowest failure of a stream is its checkpoint',
    'lowest-failure',
    'handedBack.at(-1)',
  ),
  one(
    'stream: order',
    'records of one partition key run one after the other',
    'partition-lanes',
    (_, [hasKey]) => `${hasKey} ? \`key:\${partitionKey}:\${sequenceNumber}\` : undefined`,
  ),
];
