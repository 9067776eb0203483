// Loaded before an agent: notes connections that would leave this machine, and refuses them as a closed port does.
const { appendFileSync } = require('node:fs');
const { Socket } = require('node:net');

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;
const CLOSED_PORT = 1;
const { connect } = Socket.prototype;

Socket.prototype.connect = function connectLocally(...args) {
  // Node's own callers give an array of the arguments.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const { host, path } = typeof first === 'object' ? first : { host: second };
  if (path || LOOPBACK.test(host ?? 'localhost')) return connect.apply(this, args);
  appendFileSync(process.env.OUTSIDE_CONNECTIONS, `${host}\n`);
  return connect.call(this, CLOSED_PORT, '127.0.0.1');
};
