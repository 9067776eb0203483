import { gzipSync } from 'node:zlib';
import { jmesPath } from 'batchlatch/jmespath';
import { powertoolsKey } from 'batchlatch/powertools';

const json = JSON.stringify({
  orderId: 'A',
  lines: [
    { sku: 'b', n: 2 },
    { sku: 'a', n: 1 },
  ],
});
const raw = {
  messageId: 'm-1',
  json,
  base64: Buffer.from(json).toString('base64'),
  gzip: gzipSync(json).toString('base64'),
  notJson: '{',
  list: ['b', 'ä', 'B', 'a'],
  numbers: [3, 1, 2],
  object: { b: 2, a: 1 },
  text: '12',
  n: -3,
  f: 1.5,
  'quoted-name': 'q',
};

const EXPRESSIONS = [
  'messageId',
  '"quoted-name"',
  'nothing || messageId',
  '!nothing && messageId',
  'object.a == `1` && messageId',
  'object.toString || messageId',
  '__proto__ || messageId',
  'list.length || messageId',
  '[messageId, list[0]]',
  '{ a: messageId, b: list }',
  'object.*',
  'list[::-1]',
  'numbers[?@ > `1`]',
  "list[?contains(@, 'a')] | [0]",
  'powertools_json(json).orderId',
  'powertools_json(json).lines[?n > `1`].sku',
  'powertools_json(powertools_base64(base64)).lines[].sku',
  'powertools_json(powertools_base64_gzip(gzip)).lines | sort_by(@, &n)[*].sku',
  'powertools_json(notJson) || messageId',
  'powertools_base64_gzip(text) || messageId',
  'max_by(powertools_json(json).lines, &n).sku',
  'min_by(powertools_json(json).lines, &n).sku',
  'map(&sku, powertools_json(json).lines)',
  'reverse(list)',
  'reverse(messageId)',
  'sort(list)',
  'sort(numbers)',
  "join('-', list)",
  'keys(object)',
  'values(object)',
  'merge(object, {z: `1`})',
  'length(list)',
  'length(messageId)',
  'abs(n)',
  'avg(numbers)',
  'sum(numbers)',
  'min(numbers)',
  'max(list)',
  'floor(f)',
  'ceil(f)',
  "starts_with(messageId, 'm') && messageId",
  "ends_with(messageId, '1') && messageId",
  'to_array(messageId)',
  'to_string(object)',
  'to_number(text)',
  'type(object)',
  'not_null(nothing, messageId)',
];

const record = { source: 'eventbridge', raw, id: 'm-1', body: {} };
const keys = {};
for (const expression of EXPRESSIONS) {
  keys[expression] = keyOf(() => jmesPath(expression)(record));
  keys[`${expression} as Powertools hashes it`] = keyOf(() =>
    powertoolsKey({ eventKeyJmesPath: expression, keyPrefix: 'k' })(record),
  );
}
for (const expression of ['a.', 'a[', 'no_such(a)', 'length()', 'length(a, b)', 'a ||', "'"]) {
  keys[`${expression} is refused at start`] = keyOf(() => {
    jmesPath(expression);
    return 'BATCHLATCH_NOT_REFUSED';
  }).replace('BATCHLATCH_CONFIGURATION', 'refused');
}
const interpreter = import.meta.resolve('@aws-lambda-powertools/jmespath');
console.log(JSON.stringify({ interpreter, keys }));

function keyOf(make) {
  try {
    return make();
  } catch (error) {
    return error.code ?? error.message;
  }
}
