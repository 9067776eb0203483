import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { type Answers, DEFAULTS, DEPLOYMENTS, STORES } from './answers.ts';
import { ask } from './ask.ts';
import { CreateError, wrongUsage } from './create-error.ts';
import type { Io } from './io.ts';
import { ownVersion } from './manifest.ts';
import { isInPnpmWorkspace, packageManagerOf } from './package-manager.ts';
import { projectFiles } from './project-files.ts';
import { projectName } from './project-name.ts';
import { assertEmpty, writeProject } from './write-project.ts';

type Options = Partial<Pick<Answers, 'deploy' | 'store'>> & {
  readonly yes?: boolean;
  readonly json?: boolean;
};

const EXAMPLE = 'npm create batchlatch@latest my-worker -- --deploy sam --store dynamodb';

const EXAMPLES = `
Examples:
  npm create batchlatch@latest                       asks
  npm create batchlatch@latest my-worker -- --yes    AWS SAM and DynamoDB, without a question
  ${EXAMPLE}
  npm create batchlatch@latest jobs/mail -- --deploy ecs --store postgres --json

Exit status:
  0    the project was written
  1    the folder is not empty, or could not be written
  2    wrong usage, or no terminal to ask on
  130  stopped by Ctrl-C`;

/** Runs the command with these arguments, without the program's name. Resolves to the exit status. */
export async function runCreate(argv: readonly string[], io: Io): Promise<number> {
  const program = programOf(io);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // already printed
    io.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof CreateError ? error.status : 1;
  }
}

function programOf(io: Io): Command {
  return new Command('create-batchlatch')
    .description('Starts a project: a handler for an SQS queue, its test, and what deploys it.')
    .argument('[folder]', 'the folder to write into; its name becomes the name of the project')
    .addOption(new Option('--deploy <way>', 'how it is deployed').choices(Object.keys(DEPLOYMENTS)))
    .addOption(new Option('--store <store>', 'where claims are kept').choices(Object.keys(STORES)))
    .option(
      '-y, --yes',
      `ask nothing; defaults: ${DEFAULTS.folder}, ${DEFAULTS.deploy} and ${DEFAULTS.store}`,
    )
    .option('--json', 'ask nothing, and print the result as JSON')
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
    .showHelpAfterError('Add --help to see how it is used.')
    .action((folder: string | undefined, options: Options) => create(folder, options, io));
}

async function create(given: string | undefined, options: Options, io: Io): Promise<void> {
  const place = (folder: string): string => path.resolve(io.cwd, folder);
  const check = (folder: string): void => {
    projectName(folder, io.cwd);
    assertEmpty(place(folder), folder);
  };
  const { folder, deploy, store } = await answersOf(given, options, check, io);
  check(folder);
  const packageManager = packageManagerOf(io.env);
  const name = projectName(folder, io.cwd);
  const isInWorkspace = isInPnpmWorkspace(place(folder));
  const files = projectFiles({ name, deploy, store, packageManager, isInWorkspace });
  writeProject(place(folder), files);

  const { install, run } = packageManager;
  const entered = path.relative(io.cwd, place(folder));
  const next = [...(entered === '' ? [] : [`cd ${quoted(entered)}`]), install, run('test')];
  if (options.json === true) {
    const written = { folder: place(folder), deploy, store, files: [...files.keys()], next };
    io.stdout.write(`${JSON.stringify(written, undefined, 2)}\n`);
    return;
  }
  io.stdout.write(
    `\nWrote ${files.size} files into ${folder}: ${DEPLOYMENTS[deploy]}, ` +
      `claims in ${STORES[store]}. Next:\n\n` +
      `${next.map((command) => `  ${command}\n`).join('')}\n` +
      `README.md explains how to run and deploy it.\n`,
  );
}

/** Returns the given answers, and asks for the rest. Throws a `CreateError` without a terminal. */
async function answersOf(
  folder: string | undefined,
  { deploy, store, yes = false, json = false }: Options,
  check: (folder: string) => void,
  io: Io,
): Promise<Answers> {
  const given: Partial<Answers> = {
    ...(folder !== undefined && { folder }),
    ...(deploy !== undefined && { deploy }),
    ...(store !== undefined && { store }),
  };
  if (yes) return { ...DEFAULTS, ...given };
  if (isComplete(given)) return given;
  if (!json && io.stdin.isTTY === true && io.stdout.isTTY === true) return ask(given, check, io);
  const missing = [
    ...(folder === undefined ? ['a folder'] : []),
    ...(deploy === undefined ? ['--deploy'] : []),
    ...(store === undefined ? ['--store'] : []),
  ];
  const why = json ? '--json asks nothing' : 'There is no terminal to ask on';
  throw wrongUsage(`${why}: add ${missing.join(' and ')}, or --yes for the defaults, such as\n  ${EXAMPLE}`);
}

function isComplete(given: Partial<Answers>): given is Answers {
  return given.folder !== undefined && given.deploy !== undefined && given.store !== undefined;
}

function quoted(folder: string): string {
  return /^[\w./\\:@+-]+$/.test(folder) ? folder : `"${folder}"`;
}
