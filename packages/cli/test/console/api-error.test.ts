import { expect, it } from '@jest/globals';
import { answerFor } from '../../src/console/api-error.ts';

const told = (error: Error): string => answerFor(error).body.error.message;
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const expired = named('ExpiredTokenException', 'The security token included in the request is expired');

it.each([
  ['of SQS', expired],
  ['of a store', new Error('Cannot read the claims', { cause: expired })],
])('an error of expired credentials says what to do: %s', (_of, error) => {
  expect(told(error)).toBe(
    'The sign-in has expired: run `aws sso login` and try again. (The security token included in the request is expired)',
  );
});

it('an error of refused credentials says what to do', () => {
  expect(told(named('UnrecognizedClientException', 'The security token is invalid'))).toBe(
    'AWS does not accept the credentials: The security token is invalid. Sign in again, or name others with --profile.',
  );
});

it('an error of a table that is not an outbox says so', () => {
  const missing = named('ValidationException', 'The table does not have the specified index: unsent');
  expect(told(new Error('DynamoDB', { cause: missing }))).toMatch(/^This table is not an outbox/);
});

it('another error is told by its name and message', () => {
  expect(told(named('ThrottlingException', 'Rate exceeded'))).toBe('ThrottlingException: Rate exceeded');
});
