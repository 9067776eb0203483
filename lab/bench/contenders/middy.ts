import middyCore from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { SQSEvent } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { MakeBatchHandler } from './contender.ts';

/** As its documentation shows it. It reports what failed and keeps no claims: every delivery runs. */
export const middy: MakeBatchHandler = ({ handler }) => {
  const handleEvent = async ({ Records }: SQSEvent): Promise<PromiseSettledResult<void>[]> =>
    Promise.allSettled(Records.map(async ({ body }) => handler(JSON.parse(body) as Order)));
  const withReports = middyCore<SQSEvent>().use(sqsPartialBatchFailure()).handler(handleEvent);
  // The middleware puts its answer in the place of the handler's.
  return withReports;
};
