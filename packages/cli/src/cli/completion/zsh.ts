import { valueCases, type Word, type Words } from './words.ts';

/** Returns the script for zsh: a file `_batchlatch` in the `fpath`, or one to source. */
export function zshScript(program: string, words: readonly Words[]): string {
  const paths = words.filter(({ path }) => path !== '');
  return `#compdef ${program}
_${program}() {
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}" at="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${paths.map(({ path }) => `'${path}'`).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $before" in
${valueCases(words)
  .map(({ pattern, value }) => `    ${pattern}) ${answerFor(value)}; return ;;`)
  .join('\n')}
  esac
  case "$at" in
${words
  .map(
    ({ path, commands, options }) =>
      `    '${path}') candidates=(${[...commands, ...options].map(described).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe '${program}' candidates
}
if [ "$funcstack[1]" = "_${program}" ]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function answerFor(value: 'nothing' | 'text' | 'file' | readonly string[]): string {
  if (value === 'file') return '_files';
  return typeof value === 'string' ? ':' : `compadd -- ${value.join(' ')}`;
}

/** Returns `word:meaning`, the format of `_describe`. */
function described({ word, meaning }: Word): string {
  return `'${`${word}:${meaning}`.replaceAll("'", "'\\''")}'`;
}
