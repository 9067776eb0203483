/** Credentials that no emulator looks at. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
export const REGION = 'us-east-1';
/** Connections that every contender may open, the floor too. */
export const MAX_SOCKETS = 100;
