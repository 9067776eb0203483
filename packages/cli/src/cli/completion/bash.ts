import { candidatesOf, valueCases, type Words } from './words.ts';

/** Returns the script for bash 4 and later. */
export function bashScript(program: string, words: readonly Words[]): string {
  const paths = words.filter(({ path }) => path !== '');
  return `# bash completion for ${program}
_${program}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.map(({ path }) => `'${path}'`).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $before" in
${valueCases(words)
  .map(({ pattern, value }) => `    ${pattern}) ${answerFor(value)}; return ;;`)
  .join('\n')}
  esac
  case "$path" in
${words
  .map(
    (one) => `    '${one.path}') COMPREPLY=($(compgen -W '${candidatesOf(one).join(' ')}' -- "$current")) ;;`,
  )
  .join('\n')}
  esac
}
complete -F _${program} ${program}
`;
}

function answerFor(value: 'nothing' | 'text' | 'file' | readonly string[]): string {
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$current"))';
  return typeof value === 'string' ? ':' : `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current"))`;
}
