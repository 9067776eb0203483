/**
 * A shell script that runs a program in its own process group with a watcher. The watcher reads the pipe on
 * standard input, which closes when this process ends in any way (Ctrl-C, `process.exit`, SIGKILL, a jest
 * worker that never fires `process.on('exit')`), and then ends the group. The program itself has no standard
 * input. Descriptor 3, such as Node's channel to its parent, belongs to the program.
 */
const LEASH = `
exec 9<&0 </dev/null
(trap '' TERM; exec 3>&-; cat <&9; kill -s TERM -- -$$; sleep 3; kill -s KILL -- -$$) >/dev/null 2>&1 &
exec 9<&-
exec "$@"`;

/** Returns the command to spawn, detached and with a pipe as standard input: it ends with this process. */
export function inProcessGroup(
  name: string,
  command: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', LEASH, name, command, ...args] };
}

/** Signals a program that was started with `inProcessGroup`, and its descendants in the group. */
export function signalGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
