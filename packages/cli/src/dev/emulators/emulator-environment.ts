/** Dummy settings that AWS's SDK requires; emulators ignore them. */
export const emulatorEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
} as const;

/** Dummy settings for an SDK client in this process. */
export const emulatorClientConfig: {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
} = {
  region: emulatorEnvironment.AWS_REGION,
  credentials: {
    accessKeyId: emulatorEnvironment.AWS_ACCESS_KEY_ID,
    secretAccessKey: emulatorEnvironment.AWS_SECRET_ACCESS_KEY,
  },
};
