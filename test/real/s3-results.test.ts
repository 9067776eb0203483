import { describeWith } from '../support/components/describe-with.ts';
import { componentNamed } from '../support/components/index.ts';
import { describeS3Results } from '../support/s3-results.ts';
import { startComponent } from './support/start-component.ts';

for (const name of ['moto', 'ministack']) {
  describeWith([componentNamed(name)], `s3Results on ${name}`, () => {
    describeS3Results(() => startComponent(name));
  });
}
