// Runs in a frame of an origin of its own, whose content security policy allows no request.
addEventListener('message', ({ data: source, ports: [port] }) => {
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  const tell = (message) => port.postMessage(message);
  worker.addEventListener('message', ({ data }) => tell(data));
  worker.addEventListener('error', ({ message, lineno }) => tell({ type: 'broken', message, line: lineno }));
  port.addEventListener('message', ({ data }) => worker.postMessage(data, []));
  port.start();
});
