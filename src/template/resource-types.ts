export const QUEUE_TYPES: readonly string[] = ['AWS::SQS::Queue'];
export const TABLE_TYPES: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Serverless::SimpleTable',
];
export const STREAM_TYPES: readonly string[] = ['AWS::Kinesis::Stream'];
export const FUNCTION_TYPES: readonly string[] = ['AWS::Serverless::Function', 'AWS::Lambda::Function'];
