export { isTabsStoreSupported, tabsStore } from './store.ts'
