import { Command } from 'commander';
import { withHiddenOptions } from './arguments/common-options.ts';
import { addClaimsCommands } from './claims/claims-commands.ts';
import { addCompletionCommand } from './completion/completion-command.ts';
import { addConsoleCommand } from './console/console-commands.ts';
import { addDeadLetterCommands } from './dead-letters/dead-letter-commands.ts';
import { addGenerateEventCommands } from './events/generate-commands.ts';
import { addDevCommands } from './dev/dev-commands.ts';
import { addDoctorCommand } from './doctor/doctor-commands.ts';
import { addSubcommandIn, type End, withExamples } from './subcommand.ts';
import { addSendCommand } from './send/send-commands.ts';
import { showsColors } from './print/screen.ts';
import type { OutputStream, ProcessIo } from './process-io.ts';
import { addOutboxCommands } from './outbox/outbox-commands.ts';
import { addMcpCommand } from './mcp/mcp-commands.ts';
import { addTableCommands } from './tables/table-commands.ts';
import { versionOfPackage } from './version.ts';
import { addWorkCommand } from './worker/work-commands.ts';

const EXIT_STATUSES = `
Exit status:
  0    done, or nothing to report
  1    something was refused, failed or was not found; doctor and table check found an error
  2    wrong usage, a file that cannot be read, or a question that nobody can answer
  130  stopped by Ctrl-C (work: 0, if all that ran could end)`;

/** Returns the program with all commands. */
export function programOf(surroundings: ProcessIo, end: End): Command {
  const { stdout, stderr, env } = surroundings;
  const program = new Command('batchlatch')
    .description('See and fix idempotency claims, dead letters and deployments; work queues.')
    .version(versionOfPackage(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(shownError(text)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => showsColors(stdout, env, {}),
      getErrHasColors: () => showsColors(stderr, env, {}),
    })
    .showHelpAfterError('Add --help to see how it is used.')
    .showSuggestionAfterError();
  withHiddenOptions(program);
  const addLeaf = addSubcommandIn(surroundings, end);
  addClaimsCommands(program, addLeaf);
  addDeadLetterCommands(program, addLeaf);
  addOutboxCommands(program, addLeaf);
  addConsoleCommand(program, addLeaf);
  addMcpCommand(program, addLeaf);
  addTableCommands(program, addLeaf);
  addDoctorCommand(program, addLeaf);
  addWorkCommand(program, addLeaf);
  addDevCommands(program, addLeaf);
  addGenerateEventCommands(program, addLeaf);
  addSendCommand(program, addLeaf);
  addCompletionCommand(program, surroundings);
  withExamples(program, [
    'claims list --table claims --state parked',
    'claims release KEY --table claims --reason "fixed in 1.4"',
    'doctor --template template.yaml',
  ]);
  program.addHelpText('after', EXIT_STATUSES);
  return program;
}

const KEY_WITH_DASH = 'A KEY that begins with - goes last, after --, as in: claims show --table NAME -- -KEY';

/** Only `-h`, `-V` and `-t` have one dash: any other may be a key. */
function shownError(text: string): string {
  const shown = text.replace(/^error: /, 'Error: ');
  return /^Error: unknown option '-[^-]/.test(shown) ? `${shown.trimEnd()}\n${KEY_WITH_DASH}\n` : shown;
}

function widthOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true ? Math.min(columns || 80, 100) : 80;
}
