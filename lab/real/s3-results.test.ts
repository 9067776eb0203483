import { describeWith } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { describeS3Results } from '../../test/support/s3-results.ts';
import { startComponent } from './support/start-component.ts';

for (const name of ['moto', 'ministack']) {
  describeWith([componentNamed(name)], `s3Results on ${name}`, () => {
    describeS3Results(() => startComponent(name));
  });
}
