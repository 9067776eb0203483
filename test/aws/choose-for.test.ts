import { describe, expect, it } from '@jest/globals';
import { chooseFor } from '../../src/aws/environment.ts';
import { SQS } from '../../src/worker/direct-send.ts';

const KEY = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

describe('Requests to an address that is given', () => {
  const https = new URL('https://sqs.eu-west-1.amazonaws.com');

  it.each([
    [KEY, 'environment', 3],
    [{}, 'sdk', 3],
    [{ AWS_ACCESS_KEY_ID: 'key' }, 'sdk', 3],
    [{ ...KEY, AWS_PROFILE: 'dev' }, 'sdk', 3],
    [{ ...KEY, AWS_PROFILE: '' }, 'environment', 3],
    [{ ...KEY, HOME: '/home/with-files', AWS_CONFIG_FILE: '/etc/hosts' }, 'environment', 3],
    [{ ...KEY, AWS_ENDPOINT_URL: 'no URL', AWS_REGION: '' }, 'environment', 3],
    [{ ...KEY, AWS_MAX_ATTEMPTS: '7' }, 'environment', 7],
    [{ ...KEY, HTTPS_PROXY: 'http://user:password@proxy' }, 'environment', 3],
    [{ ...KEY, AWS_BEARER_TOKEN_SQS: 'token' }, 'environment', 3],
  ])('are direct with %j', (environment, credentials, maxAttempts) => {
    expect(chooseFor(SQS, https, environment)).toMatchObject({
      transport: 'direct',
      credentials,
      maxAttempts,
    });
  });

  it.each([
    [{ ...KEY, AWS_RETRY_MODE: 'adaptive' }, "AWS_RETRY_MODE has a value that only AWS's SDK supports"],
    [{ ...KEY, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED is 0'],
    [{ ...KEY, AWS_MAX_ATTEMPTS: 'many' }, 'AWS_MAX_ATTEMPTS is not an integer from 1 to 999'],
  ])('are left to the SDK with %j', (environment, why) => {
    expect(chooseFor(SQS, https, environment)).toEqual({ transport: 'sdk', why });
  });
});
