import type { Theme } from 'vitepress';
// With the reader's own fonts: those of the theme delay the first paint by several hundred milliseconds.
import DefaultTheme from 'vitepress/theme-without-fonts';
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
      'CorePlayground',
      defineAsyncComponent(() => import('./live/CorePlayground.vue')),
    );
    app.component(
      'SettingsCalculator',
      defineAsyncComponent(() => import('./live/SettingsCalculator.vue')),
    );
    app.component(
      'LiveSimulation',
      defineAsyncComponent(() => import('./live/LiveSimulation.vue')),
    );
  },
};

export default theme;
