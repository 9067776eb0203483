import { existsSync } from 'node:fs';
import path from 'node:path';

/** The way out for a file of another tool: in `dev` and `invoke`, which run templates, and in `doctor`. */
interface Advice {
  readonly dev: string;
  readonly doctor: string;
}

/** Advice for projects of other tools, by the file that identifies them. */
const ADVICE: Readonly<Record<string, Advice>> = {
  'cdk.json': both(
    'This is a CDK project: run `npx cdk synth` and name what it ' +
      'writes, with --template cdk.out/STACK.template.json.',
  ),
  'serverless.yml': serverless('serverless.yml'),
  'serverless.yaml': serverless('serverless.yaml'),
  'serverless.ts': serverless('serverless.ts'),
  'serverless.json': serverless('serverless.json'),
  'sst.config.ts': {
    dev:
      'sst.config.ts belongs to SST, which generates no CloudFormation template: use `sst dev`, or ' +
      'write the functions and their queues into a SAM template.yaml for this command.',
    doctor:
      'sst.config.ts belongs to SST: run `npx sst state export --stage STAGE > state.json` and name ' +
      'what it writes, with --template state.json.',
  },
};

function terraform(file: string): Advice {
  return {
    dev:
      `${file} belongs to Terraform, which generates no CloudFormation template: write the ` +
      'functions and their queues into a SAM template.yaml for this command.',
    doctor:
      `${file} belongs to Terraform, which doctor does not read: look at what is deployed, with ` +
      '--queue-url URL, --table NAME and --function NAME.',
  };
}

function serverless(file: string): Advice {
  return {
    dev:
      `${file} belongs to the Serverless Framework, whose templates do not name the code's folder: write ` +
      'the functions and their queues into a SAM template.yaml for this command, with the folder as CodeUri.',
    doctor:
      `${file} belongs to the Serverless Framework: run \`npx serverless package\` and name what it ` +
      'writes, with --template .serverless/cloudformation-template-update-stack.json.',
  };
}

function both(text: string): Advice {
  return { dev: text, doctor: text };
}

/** Returns advice for a project of another tool in the folder; undefined if there is none. */
export function adviceForFolder(folder: string): Advice | undefined {
  const name = [...Object.keys(ADVICE), 'main.tf'].find((file) => existsSync(path.join(folder, file)));
  return name === undefined ? undefined : adviceForFile(name);
}

/** Returns advice for another tool's file that was given as a template. */
export function adviceForFile(file: string): Advice | undefined {
  const name = path.basename(file);
  if (Object.hasOwn(ADVICE, name)) return ADVICE[name];
  return /\.(tf|tf\.json|tfstate)$/.test(name) ? terraform(name) : undefined;
}
