// AWS's SDK warns about Node 20 at every load; nobody who runs the tests can do anything about it.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
// Emulators want some region and some credentials; none of them looks at which.
process.env['AWS_REGION'] ??= 'us-east-1';
process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
// What a developer has set up for AWS's tools is not to change how the tests make requests.
process.env['AWS_CONFIG_FILE'] ??= '/dev/null';
process.env['AWS_SHARED_CREDENTIALS_FILE'] ??= '/dev/null';
// Tests that look at log lines give an observer; the handlers of the examples would print theirs between the results.
process.env['BATCHLATCH_LOG_LEVEL'] ??= 'silent';
// `npm run lab:node` says which Node it wants; on another one every test would pass without showing anything.
const wanted = process.env['BATCHLATCH_TEST_NODE'];
if (wanted !== undefined && process.version !== wanted) {
  throw new Error(`Expected the tests to run on Node ${wanted}, got ${process.version}`);
}
