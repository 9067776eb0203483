import { builtIn } from '../base/built-in.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a profile that affect no request: other tools read them, or AWS_REGION replaces them. */
const IRRELEVANT = /^(region|output|ca_bundle|s3|cli_\w+)$/;
/** Settings of where credentials come from. */
const CREDENTIALS =
  /^((aws|credential|role|sso|x)_\w+|duration_seconds|external_id|login_session|mfa_serial|source_profile|web_identity_token_file)$/;

const LARGEST_BYTES = 1_048_576;
/** Errors for files that cannot be read, the last with `--permission`; the SDK treats such files as empty. */
const CLOSED = new Set<unknown>(['EACCES', 'ENOTDIR', 'ERR_ACCESS_DENIED']);

/** Returns the text of a file, empty if there is none; undefined if only the SDK can tell. */
export type ReadFile = (file: string) => string | undefined;

/**
 * Returns why AWS's SDK must read the shared configuration files; undefined if they affect no request.
 * `hasKey`: the access key comes from the environment. Only the default profile matters, because AWS_PROFILE
 * always leads to the SDK.
 */
export function sharedFileForSdk(
  environment: Environment,
  hasKey: boolean,
  read: ReadFile = textOf,
): string | undefined {
  for (const file of sharedFiles(environment)) {
    const text = read(file);
    if (text === undefined) return `${file} exists, and only AWS's SDK can read it`;
    const setting = settingsOfDefault(text).find(
      (name) => !IRRELEVANT.test(name) && !(hasKey && CREDENTIALS.test(name)),
    );
    if (setting !== undefined) return `${file} sets ${shown(setting)} for the default profile`;
  }
  return undefined;
}

/** Hides unusual names: in a broken file, a secret may stand in the place of a name. */
function shown(setting: string): string {
  return /^[a-z][a-z\d_]{0,31}$/.test(setting) ? setting : 'something';
}

/** Returns the names of a file's settings for the default profile, parsed as the SDK does. */
function settingsOfDefault(text: string): string[] {
  const names: string[] = [];
  let isDefault = false;
  let isNested = false;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = (line.split(/(?:^|\s)[;#]/, 1)[0] as string).trim();
    if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
      isDefault = /^\[\s*(profile\s+)?["']?default["']?\s*\]$/.test(trimmed);
      isNested = false;
      continue;
    }
    const equals = trimmed.indexOf('=');
    if (!isDefault || equals < 1) continue;
    if (isNested && /^\s/.test(line)) continue; // belongs to the setting above
    isNested = equals === trimmed.length - 1;
    names.push(trimmed.slice(0, equals).trim());
  }
  return names;
}

/** Returns the paths of the files of AWS's SDKs and tools. Either file may contain any setting. */
function sharedFiles(environment: Environment): readonly string[] {
  const home = homeIn(environment);
  const named = (name: string, file: string): string => {
    const text = environment[name];
    if (!text) return builtIn('node:path').join(home, '.aws', file);
    return text.startsWith('~/') ? builtIn('node:path').join(home, text.slice(2)) : text;
  };
  return [named('AWS_CONFIG_FILE', 'config'), named('AWS_SHARED_CREDENTIALS_FILE', 'credentials')];
}

function homeIn(environment: Environment): string {
  try {
    return environment['HOME'] || environment['USERPROFILE'] || builtIn('node:os').homedir();
  } catch {
    return '/'; // in a container, an unknown user may have no home
  }
}

function textOf(file: string): string | undefined {
  if (file === '/dev/null') return '';
  const { statSync, readFileSync } = builtIn('node:fs');
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return '';
    return found.isFile() && found.size <= LARGEST_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    return CLOSED.has((error as NodeJS.ErrnoException).code) ? '' : undefined;
  }
}
