import { SharedBudget, type SharedStore, memoryStore } from '../../src/extensions/shared/index.ts'
import { settle } from '../support/clock.ts'

/** A store whose replies come late, or never, and which counts what is stored; with budgets in it. */
export function openLateStore() {
  const { update } = memoryStore()
  const world = {
    replyMs: 0,
    writes: 0,
    meet: (text: string | undefined) => text,
    clock: (at: number): unknown => at,
  }
  const store: SharedStore = {
    async update(key, change) {
      const { replyMs } = world
      const result = await update(key, (text, clock, readAt) => {
        const changed = change(world.meet(text), world.clock(clock) as number, readAt)
        if (changed.value !== undefined) world.writes++
        return changed
      })
      if (replyMs > 0) await new Promise((resolve) => setTimeout(resolve, replyMs))
      return result
    },
  }
  /** The store as a process has it whose updates fail while it `isDown`. */
  const link = () => {
    const state = { isDown: false }
    const update: SharedStore['update'] = (...given) =>
      state.isDown ? Promise.reject(new Error('down')) : store.update(...given)
    return Object.assign(state, { update })
  }
  const budgetOf = (options = {}) =>
    new SharedBudget({ store, name: 'a', limit: 1000, storeTimeout: 1000, logger: false, ...options })
  return { world, store, link, budgetOf }
}

export const unsettled = { spent: 0, uncertain: 0, reserved: 0 }

/** Reserves credits of a budget, and returns the reservation. */
export const reserved = async (budget: SharedBudget, credits: number) =>
  (await settle(budget.reserve(credits, 'microblog.search'))).value!

/** What `summary()` of a budget rejects with. */
export const refusalOf = async (budget: SharedBudget) => (await settle(budget.summary())).error

export const summaryOf = async (budget: SharedBudget) => (await settle(budget.summary())).value
