const NO_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/** The SDK warns of an old Node when the first client is made. Nobody asked for this one. */
export function withoutVersionWarning<Client>(make: () => Client): Client {
  const before = process.env[NO_WARNING];
  process.env[NO_WARNING] = 'true';
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env[NO_WARNING];
    else process.env[NO_WARNING] = before;
  }
}
