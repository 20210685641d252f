/**
 * The budgets that commands of a user share on a machine, in a file of the user: what limits an hour, a day or a month, what has spent it,
 * and which watches plan with it.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addTo } from '../extend.ts'
import { type ChangeText, type SharedStore, SharedBudget, sqliteStore } from '../extensions/shared/index.ts'
import { within } from '../lib/abort.ts'
import { sha256 } from '../lib/hash.ts'
import { parsed } from '../lib/json.ts'
import { type Period, periodAt } from '../lib/period.ts'
import { messageOf } from '../lib/thrown.ts'
import { accountName, neededFolder, userFolder } from './account.ts'
import { CommandError } from './command-errors.ts'
import { needSqlite } from './database/open-database.ts'

/** Credits for each hour, day or month, in UTC. */
export interface PeriodTerms {
  readonly limit: number
  readonly every: Period
}

/** Credits of a run, or of each period. */
export type BudgetFlag = PeriodTerms | { readonly limit: number; readonly every?: undefined }

export const periodForms = 'credits a period: 20/hour, 200/day or 6000/month'

/** The terms of a text such as `20` or `200/day`; undefined for any other text. {@link termsText} writes no exponent of so few digits. */
export function termsIn(text: string): BudgetFlag | undefined {
  const [, credits, every] = /^(\d{1,15}(?:\.\d{1,6})?)(?:\/(hour|day|month))?$/.exec(text) ?? []
  return credits === undefined ? undefined : { limit: Number(credits), every: every as Period }
}

/** `200/day`. */
export function termsText({ limit, every }: PeriodTerms): string {
  return `${limit}/${every}`
}

/** How long a command waits for the file, in milliseconds. */
const patienceMs = 10_000

/** What the commands of one period have spent. */
export interface Spending {
  readonly period: string
  /** The latest limit. */
  readonly limit: number
  /** Credits by command, such as `search`. */
  readonly commands: Readonly<Record<string, number>>
}

/** A budget such as `200/day`, which all commands for an address on this machine share. It begins anew in UTC. */
export class PeriodBudget extends SharedBudget {
  /** As errors name it. */
  override readonly name: string
  readonly terms: PeriodTerms
  /** Whether `social-search budget` has set it, for all commands. */
  readonly isSet: boolean
  readonly #owner: string
  readonly #store: SharedStore

  /** @param owner Whose credits it counts. */
  constructor(store: SharedStore, owner: string, terms: PeriodTerms, isSet = false) {
    const { limit, every } = terms
    super({ store, name: `${owner} ${every}`, limit, every, storeTimeout: patienceMs, logger: false })
    this.name = isSet ? 'budget' : '--budget'
    this.terms = terms
    this.isSet = isSet
    this.#owner = owner
    this.#store = store
  }

  /** What commands have spent in this period, and the latest limit; undefined if there is none. */
  static async spending(store: SharedStore, owner: string, every: Period): Promise<Spending | undefined> {
    const text = await PeriodBudget.notes(store, 'spending', owner, every)
    const found = parsed(text ?? 'null') as Spending | null
    if (found === null) return undefined
    return found.period === periodAt(Date.now(), every) ? found : { ...found, commands: {} }
  }

  /** What is noted beside the budget of an owner: the budget does not depend on it. */
  static async notes(
    store: SharedStore,
    ...of: [kind: NoteKind, owner: string, every: Period]
  ): Promise<string | undefined> {
    return store.update(await noteKey(...of), (text) => ({ result: text }))
  }

  /** Changes what is noted beside this budget. */
  async changeNotes<Result>(kind: NoteKind, change: ChangeText<Result>): Promise<Result> {
    return this.#store.update(await noteKey(kind, this.#owner, this.terms.every), change)
  }

  /** Notes what a command has spent in the period of a time, to show it. */
  async noteSpending(command: string, credits: number, time: number): Promise<void> {
    const { limit, every } = this.terms
    await this.changeNotes('spending', (text, clock) => {
      const period = periodAt(time, every)
      const before = parsed(text ?? 'null') as Spending | null
      // Nobody shows what an earlier period has spent.
      if (before?.period !== period && period !== periodAt(clock, every)) return { result: undefined }
      const commands = before?.period === period ? before.commands : {}
      const spending = { period, limit, commands: addTo(commands, command, credits) }
      return { value: JSON.stringify(spending satisfies Spending), result: undefined }
    })
  }
}

type NoteKind = 'spending' | 'watches'

async function noteKey(kind: NoteKind, owner: string, every: Period): Promise<string> {
  return `${kind}-1:${(await sha256(`${owner} ${every}`)).slice(0, 32)}`
}

/** Whose credits a budget counts: accounts may share an address. */
export function ownerOf(baseUrl: string): string {
  const account = accountName()
  return account === undefined ? baseUrl : `${baseUrl} ${account}`
}

/** The file in which commands share limits and budgets. */
export interface SharedFile {
  readonly store: ReturnType<typeof sqliteStore>
  /** What `social-search budget` has set, perhaps of a newer version; undefined or empty if none is. */
  readonly setText: string | undefined
}

/** Opens the file. Undefined if there is none and none can be made, so that no budget is set, unless it is needed. */
export async function openSharedFile(isNeeded: true): Promise<SharedFile>
export async function openSharedFile(isNeeded: boolean): Promise<SharedFile | undefined>
export async function openSharedFile(isNeeded: boolean): Promise<SharedFile | undefined> {
  // It outlives the logins.
  const folder = isNeeded ? neededFolder('state') : userFolder('state')
  if (folder === undefined) return undefined
  const path = join(folder, 'shared.sqlite')
  const isThere = existsSync(path)
  const late = (): never => {
    throw new Error(`${path} is locked by another program`)
  }
  let store: SharedFile['store'] | undefined
  try {
    needSqlite('a budget of a period')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = (store = sqliteStore(path))
    return { store, setText: await within(patienceMs, () => setTextIn(opened, accountName()), late) }
  } catch (error) {
    store?.close()
    if (!isNeeded && !isThere) return undefined
    throw error instanceof CommandError
      ? error
      : new CommandError('failed', `${messageOf(error)}; budgets are there`)
  }
}

/** The budget that is set for an account, as it was stored. */
export function setTextIn(store: SharedStore, account: string | undefined): Promise<string | undefined> {
  return store.update(setKeyOf(account), (text) => ({ result: text }))
}

/** Sets the budget of the account; an empty text removes it. */
export function setBudget(store: SharedStore, value: string): Promise<void> {
  return store.update(setKeyOf(accountName()), () => ({ value, result: undefined }))
}

function setKeyOf(account: string | undefined): string {
  return account === undefined ? 'set-1' : `set-1:${account}`
}

/** The terms of the budget that is set. */
export function setTermsOf({ setText }: SharedFile): PeriodTerms | undefined {
  if (!setText) return undefined
  const terms = termsIn(setText)
  if (terms?.every !== undefined) return terms
  throw new CommandError(
    'failed',
    'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off',
  )
}
