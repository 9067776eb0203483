import { existsSync } from 'node:fs';
import path from 'node:path';

/** Advice for projects of other tools, by the file that identifies them. */
const ADVICE: Readonly<Record<string, string>> = {
  'cdk.json':
    'This is a CDK project: run `npx cdk synth` and name what it ' +
    'writes, with --template cdk.out/STACK.template.json.',
  'serverless.yml': serverless('serverless.yml'),
  'serverless.yaml': serverless('serverless.yaml'),
  'serverless.ts': serverless('serverless.ts'),
  'serverless.json': serverless('serverless.json'),
  'sst.config.ts':
    'sst.config.ts belongs to SST, which generates no CloudFormation template: use `sst dev`, or ' +
    'write the functions and their queues into a SAM template.yaml for this command.',
  'main.tf':
    'main.tf belongs to Terraform, which generates no CloudFormation template: write the ' +
    'functions and their queues into a SAM template.yaml for this command.',
};

function serverless(file: string): string {
  return (
    `${file} belongs to the Serverless Framework, whose templates do not name the code's folder: write the ` +
    'functions and their queues into a SAM template.yaml for this command, with the folder as CodeUri.'
  );
}

/** Returns advice for a project of another tool in the folder; undefined if there is none. */
export function adviceForFolder(folder: string): string | undefined {
  const name = Object.keys(ADVICE).find((file) => existsSync(path.join(folder, file)));
  return name === undefined ? undefined : ADVICE[name];
}

/** Returns advice for another tool's file that was given as a template. */
export function adviceForFile(file: string): string | undefined {
  const name = path.basename(file);
  if (Object.hasOwn(ADVICE, name)) return ADVICE[name];
  return /\.tf(\.json)?$/.test(name) ? ADVICE['main.tf']?.replace('main.tf', name) : undefined;
}
