/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  app(input) {
    return {
      name: 'my-worker',
      home: 'aws',
      // Without its claims, the next delivery of an order would charge it again.
      removal: input?.stage === 'production' ? 'retain' : 'remove',
      protect: input?.stage === 'production',
    };
  },
  async run() {
    const claims = new sst.aws.Dynamo('Claims', {
      fields: { id: 'string', overdueShard: 'string', leaseUntil: 'number' },
      primaryIndex: { hashKey: 'id' },
      // Finds overdue and parked claims without a scan.
      globalIndexes: {
        overdue: { hashKey: 'overdueShard', rangeKey: 'leaseUntil', projection: 'keys-only' },
      },
      ttl: 'expiresAt', // without TTL no row is ever deleted
      ...($app.stage === 'production' && { deletionProtection: true }),
    });

    const deadLetters = new sst.aws.Queue('DeadLetters', {
      transform: { queue: { messageRetentionSeconds: 1209600 } }, // 14 days
    });
    const queue = new sst.aws.Queue('Orders', {
      visibilityTimeout: '180 seconds', // six times the function's timeout
      dlq: { queue: deadLetters.arn, retry: 5 },
    });
    queue.subscribe(
      {
        handler: 'orders.handler',
        runtime: 'nodejs22.x',
        architecture: 'arm64',
        memory: '512 MB',
        timeout: '30 seconds',
        logging: { format: 'json', retention: '1 month' },
        environment: { CLAIMS_TABLE_NAME: claims.name },
        permissions: [
          {
            actions: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'],
            resources: [claims.arn],
          },
        ],
      },
      { batch: { partialResponses: true } }, // ReportBatchItemFailures; else Lambda ignores the response
    );

    return { queue: queue.url };
  },
});
