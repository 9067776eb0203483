import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const functionOf = (properties: string, others = '') =>
  only(
    modelOf(`Resources:
  Dead: { Type: AWS::SQS::Queue }
  Fn:
    Type: AWS::Serverless::Function
    Properties: ${properties}
${others}`).functions,
  );

const FAILURE = '{ OnFailure: { Type: SQS, Destination: !GetAtt Dead.Arn }, OnSuccess: { Destination: x } }';

describe('a function that nobody waits for', () => {
  it('has the defaults of Lambda', () => {
    expect(functionOf('{}')).toMatchObject({
      asynchronous: {
        retries: { value: 2 },
        onFailure: { value: undefined },
        deadLetterQueue: { value: undefined },
      },
      maximumAgeSeconds: { value: 21_600 },
      hasSuccessDestination: false,
    });
  });

  it.each([
    ['of its own', `{ EventInvokeConfig: { MaximumRetryAttempts: 1, DestinationConfig: ${FAILURE} } }`, ''],
    [
      'of a resource beside it',
      '{}',
      `  Config: { Type: AWS::Lambda::EventInvokeConfig, Properties: { FunctionName: !Ref Fn, MaximumRetryAttempts: 1, DestinationConfig: ${FAILURE} } }`,
    ],
  ])('has settings %s', (_where, properties, others) => {
    const { asynchronous, hasSuccessDestination } = functionOf(properties, others);
    expect(asynchronous).toMatchObject({
      retries: { value: 1 },
      onFailure: { value: { queueId: 'Dead', arn: { value: '<Dead.Arn>' } } },
    });
    expect(hasSuccessDestination).toBe(true);
  });

  it.each([
    ['DeadLetterQueue: { Type: SQS, TargetArn: !GetAtt Dead.Arn }', 'Dead'],
    ['DeadLetterConfig: { TargetArn: !GetAtt Dead.Arn }', 'Dead'],
    ['DeadLetterConfig: { TargetArn: far }', undefined],
  ])('has a dead-letter queue: %s', (property, queueId) => {
    const { deadLetterQueue } = functionOf(`{ ${property} }`).asynchronous;
    expect(deadLetterQueue.value).toMatchObject({ queueId });
  });

  it('sends to a queue that SAM makes if its destination has no address', () => {
    const config = '{ EventInvokeConfig: { DestinationConfig: { OnFailure: { Type: SQS } } } }';
    expect(functionOf(config).asynchronous.onFailure.value).toMatchObject({
      queueId: undefined,
      arn: { value: '' },
    });
  });

  it('has unknown settings where a condition that cannot be told decides about them', () => {
    const config = `{ DestinationConfig: ${FAILURE} }`;
    const { asynchronous } = functionOf(
      `{ EventInvokeConfig: !If [IsProd, ${config}, !Ref AWS::NoValue] }`,
      'Conditions: { IsProd: !Equals [!Ref AWS::Region, eu-west-1] }',
    );
    const unknown = 'the condition IsProd cannot be told';
    expect(asynchronous).toMatchObject({ retries: { unknown }, onFailure: { unknown } });
  });
});
