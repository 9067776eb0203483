import { App, Duration, SecretValue, Stack } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';

const app = new App();
const stack = new Stack(app, 'my-worker');

// Yours: private subnets from which the claims can be reached, and a security group that they let in.
const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
  vpcId: 'vpc-00000000',
  availabilityZones: ['eu-central-1a'],
  privateSubnetIds: ['subnet-00000000'],
});
const securityGroup = SecurityGroup.fromSecurityGroupId(stack, 'Claims', 'sg-00000000');

const orders = new NodejsFunction(stack, 'Orders', {
  entry: 'orders.ts',
  runtime: Runtime.NODEJS_22_X,
  architecture: Architecture.ARM_64,
  memorySize: 512,
  timeout: Duration.seconds(30),
  vpc,
  securityGroups: [securityGroup],
  // The secret is read when the stack is deployed: it is in no template.
  environment: { CLAIMS_URL: SecretValue.secretsManager('my-worker/claims-url').unsafeUnwrap() },
  bundling: { minify: true, externalModules: [] },
});

const deadLetters = new Queue(stack, 'DeadLetters', { enforceSSL: true, retentionPeriod: Duration.days(14) });
const queue = new Queue(stack, 'Queue', {
  enforceSSL: true,
  visibilityTimeout: Duration.seconds(180), // six times the function's timeout
  deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
});
orders.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
