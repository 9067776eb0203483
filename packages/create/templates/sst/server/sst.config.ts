/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  app(input) {
    return {
      name: 'my-worker',
      home: 'aws',
      removal: input?.stage === 'production' ? 'retain' : 'remove',
      protect: input?.stage === 'production',
    };
  },
  async run() {
    const claimsUrl = new sst.Secret('ClaimsUrl');

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
        environment: { CLAIMS_URL: claimsUrl.value },
        // Yours: private subnets from which the claims can be reached, and a security group that they let in.
        vpc: { privateSubnets: ['subnet-00000000'], securityGroups: ['sg-00000000'] },
      },
      { batch: { partialResponses: true } }, // ReportBatchItemFailures; else Lambda ignores the response
    );

    return { queue: queue.url };
  },
});
