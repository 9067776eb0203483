// AWS's SDK warns about Node 20 when its first client is created. Import this before the SDK.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
