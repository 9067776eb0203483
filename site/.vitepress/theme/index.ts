import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, onMounted, onUpdated } from 'vue';
import { chooseKept, keepTabs } from './kept-tabs.ts';
import SiteLayout from './SiteLayout.vue';
import './site.css';
import './tabs.css';

const theme: Theme = {
  extends: DefaultTheme,
  Layout: SiteLayout,
  setup() {
    onMounted(() => {
      keepTabs();
      chooseKept();
    });
    onUpdated(chooseKept);
  },
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
