import type { Credentials } from './signed-headers.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The access key of the environment as it is now: whoever renews it there needs no restart. */
export function environmentCredentials(environment: Environment): Credentials {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  const sessionToken = environment['AWS_SESSION_TOKEN'] ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    const message = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no longer in the environment';
    throw Object.assign(new Error(message), { name: 'CredentialsProviderError' }); // the SDK's name for it
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
}
