import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/colors.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/tables.css';
import './styles/dialog.css';
import './styles/overview.css';
import './styles/claim.css';
import { startLive } from './api/live.ts';
import { readSession } from './api/session.ts';
import { App } from './app.tsx';

const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
void readSession();
startLive();
