// Starts the page.
import { render } from 'preact';
import { followTasks } from './actions';
import { followHistory } from './address';
import { App } from './app';
import { listenToKeys } from './keyboard';
import { session } from './session';
import { startTheme } from './ui';
import './styles/base.css';
import './styles/sidebar.css';
import './styles/layout.css';
import './styles/pane.css';
import './styles/table.css';
import './styles/details.css';
import './styles/views.css';

startTheme();
followHistory();
followTasks();
listenToKeys();
session.hurry();
render(<App />, document.getElementById('app')!);
