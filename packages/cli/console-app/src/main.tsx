import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/colors.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/parts.css';
import './styles/tables.css';
import './styles/stacked.css';
import './styles/dialog.css';
import './styles/overview.css';
import './styles/claim.css';
import './styles/waterfall.css';
import { connection, reconnect, startLive } from './api/live.ts';
import { readSession } from './api/session.ts';
import { signIn } from './api/sign-in.ts';
import { askTabs, onSecret } from './api/tab-secret.ts';
import { App } from './app.tsx';

await signIn();
await askTabs();
const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
void readSession();
startLive();
onSecret(() => connection.get() === 'signed-out' && reconnect());
// The address of a console that was started again, opened in this tab: the browser does not load the page
// anew.
window.addEventListener('hashchange', () => {
  void signIn().then((isTried) => isTried && reconnect());
});
