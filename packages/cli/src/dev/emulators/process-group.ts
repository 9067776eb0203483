/**
 * Runs the program in a process group of its own, with a watcher beside it that holds our end of a pipe: when
 * this process is gone, however it went (Ctrl-C, `process.exit`, a kill that no handler sees, a jest worker
 * whose `process.on('exit')` never fires), the pipe closes and the watcher ends the group. The pipe is standard input; the
 * program itself reads nothing. Descriptor 3 is the program's own, such as Node's channel to its parent.
 */
const LEASH = `
exec 9<&0 </dev/null
(trap '' TERM; exec 3>&-; cat <&9; kill -s TERM -- -$$; sleep 3; kill -s KILL -- -$$) >/dev/null 2>&1 &
exec 9<&-
exec "$@"`;

/** What to start, detached and with a pipe as its standard input, so that a program ends with this process. */
export function inProcessGroup(
  name: string,
  command: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', LEASH, name, command, ...args] };
}

/** Signals a program that was started so, and all that it has started. */
export function signalGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
