import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';
import SiteLayout from './SiteLayout.vue';
import './site.css';

const theme: Theme = {
  extends: DefaultTheme,
  Layout: SiteLayout,
  enhanceApp({ app }) {
    // Each is loaded by the one page that has it.
    app.component(
      'CostsCalculator',
      defineAsyncComponent(() => import('./live/CostsCalculator.vue')),
    );
    app.component(
      'LiveSimulation',
      defineAsyncComponent(() => import('./live/LiveSimulation.vue')),
    );
  },
};

export default theme;
