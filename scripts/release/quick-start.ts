/** The example that README begins with. */
export interface QuickStart {
  /** The handler, in TypeScript. */
  readonly handler: string;
  /** The template for AWS SAM that deploys it. */
  readonly template: string;
}

/** Reads the example out of README: its first block of TypeScript, and its first of YAML. */
export function quickStartOf(readme: string): QuickStart {
  return { handler: firstBlock(readme, 'ts'), template: firstBlock(readme, 'yaml') };
}

function firstBlock(page: string, language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?\\n)\`\`\`$`, 'ms').exec(page)?.[1];
  if (block === undefined) throw new Error(`README has no block of ${language}`);
  return block;
}
