import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));
export const BENCH: string = fileURLToPath(new URL('../', import.meta.url));
/** The certificate of the TLS proxy, for `NODE_EXTRA_CA_CERTS`. */
export const CERTIFICATE: string = fileURLToPath(new URL('../dist/certificate.pem', import.meta.url));
/** What a run builds for itself; git does not see it. */
export const BUILD: string = fileURLToPath(new URL('../dist/', import.meta.url));
