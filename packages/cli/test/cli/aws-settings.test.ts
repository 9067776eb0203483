import { describe, expect, it } from '@jest/globals';
import { awsSettings, dummiesOf } from '../../src/cli/connect/aws-settings.ts';

const NO_FILES = { AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials' };
const DUMMIES = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

describe('Where AWS is', () => {
  it.each([
    ['the options', { AWS_REGION: 'a' }, { region: 'b', profile: 'p' }, { region: 'b', profile: 'p' }],
    ['AWS_REGION', { AWS_REGION: 'a', AWS_DEFAULT_REGION: 'b' }, {}, { region: 'a' }],
    ['AWS_DEFAULT_REGION, as for its CLI', { AWS_DEFAULT_REGION: 'b' }, {}, { region: 'b' }],
    ['nothing, where the SDK finds it out', {}, {}, {}],
    [
      'the endpoint of the service',
      { AWS_ENDPOINT_URL_DYNAMODB: 'https://d.example', AWS_ENDPOINT_URL: 'https://e.example' },
      {},
      { endpoint: 'https://d.example' },
    ],
    ['the endpoint of all', { AWS_ENDPOINT_URL: 'https://e.example' }, {}, { endpoint: 'https://e.example' }],
    [
      'no endpoint, if the variables are to be ignored',
      { AWS_ENDPOINT_URL: 'https://e.example', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
      {},
      {},
    ],
  ])('is told by %s', (_what, env, options, expected) => {
    expect(awsSettings('DYNAMODB', options, { env: { ...NO_FILES, ...env } })).toEqual(expected);
  });

  it.each(['http://127.0.0.1:8000', 'http://localhost:1', 'http://[::1]:1', 'http://aws.localhost:4566'])(
    'needs no region and no credentials at %s',
    (endpointUrl) => {
      expect(awsSettings('DYNAMODB', { endpointUrl }, { env: NO_FILES })).toEqual({
        endpoint: endpointUrl,
        ...DUMMIES,
      });
    },
  );

  it.each(['https://localhost.example.com', 'https://127.0.0.1.example.com', 'https://10.0.0.1'])(
    'needs them at %s',
    (endpointUrl) => {
      expect(awsSettings('DYNAMODB', { endpointUrl }, { env: NO_FILES })).toEqual({ endpoint: endpointUrl });
    },
  );

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_SQS'])('is not told by %s without a URL', (name) => {
    for (const value of ['localhost:4566', '127.0.0.1:4566', 'http://']) {
      const env = { ...NO_FILES, [name]: value };
      expect(() => awsSettings('SQS', {}, { env })).toThrow(
        `${name} must be a URL such as http://127.0.0.1:4566.`,
      );
      expect(awsSettings('SQS', { endpointUrl: 'http://10.0.0.1' }, { env })).toMatchObject({
        endpoint: 'http://10.0.0.1',
      });
    }
  });

  it('says so without a password that the URL may hold', () => {
    const endpointUrl = 'http://user:secret@127.0.0.1:8000';
    const settings = awsSettings('DYNAMODB', { endpointUrl }, { env: NO_FILES });
    expect(dummiesOf(settings)).toMatch(/^http:\/\/127\.0\.0\.1:8000 is on this machine: region us-east-1/);
  });

  it('uses the credentials that are there, for an emulator too', () => {
    const env = { ...NO_FILES, AWS_ACCESS_KEY_ID: 'mine' };
    const endpointUrl = 'http://127.0.0.1:8000';
    expect(awsSettings('DYNAMODB', { endpointUrl }, { env })).toEqual({
      endpoint: endpointUrl,
      region: 'us-east-1',
    });
    expect(awsSettings('DYNAMODB', { endpointUrl, profile: 'p' }, { env: NO_FILES })).toEqual({
      endpoint: endpointUrl,
      profile: 'p',
    });
  });

  it("is the emulator of a queue's URL", () => {
    const queueUrl = 'http://127.0.0.1:9324/000000000000/dead';
    expect(awsSettings('SQS', {}, { env: NO_FILES }, queueUrl)).toEqual({
      endpoint: 'http://127.0.0.1:9324',
      ...DUMMIES,
    });
    expect(awsSettings('SQS', {}, { env: NO_FILES }, 'https://sqs.us-east-1.amazonaws.com/1/dead')).toEqual(
      {},
    );
  });
});
