import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import NotFound from './not-found.vue'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
}
