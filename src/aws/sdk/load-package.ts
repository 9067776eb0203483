import { builtIn } from '../../base/built-in.ts';

const loading = new Map<string, Promise<unknown>>();

/**
 * Loads a package of AWS's SDK once. Its name comes in a variable: a bundler does not follow it, so that no bundle holds the SDK
 * for the case that it is needed. Rejects where it is not found.
 */
export function loadPackage<Module>(name: string): Promise<Module> {
  let loaded = loading.get(name) as Promise<Module> | undefined;
  if (loaded === undefined) {
    loaded = load<Module>(name);
    loading.set(name, loaded);
  }
  return loaded;
}

async function load<Module>(name: string): Promise<Module> {
  try {
    const module = (await import(/* webpackIgnore: true */ name)) as Module & { readonly default?: Module };
    return module.default ?? module; // of CommonJS, only the default has all that is exported
  } catch {
    // Beside a bundle there are no packages; `require` looks where NODE_PATH says too, and so finds the one of Lambda's runtime.
    return builtIn('node:module').createRequire(builtIn('node:path').resolve('index.js'))(name) as Module;
  }
}

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
