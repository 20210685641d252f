/**
 * The budgets that commands of a user share on a machine, in a file of the user: what limits an hour, a day or a month, what has spent it,
 * and which watches plan with it.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addTo } from '../extend.ts'
import { BudgetUnavailableError } from '../errors/index.ts'
import type { Reservation } from '../index.ts'
import { type ChangeText, type SharedStore, SharedBudget, sqliteStore } from '../extensions/shared/index.ts'
import { within } from '../lib/abort.ts'
import { sha256 } from '../lib/hash.ts'
import { parsed } from '../lib/json.ts'
import { type Period, periodAt } from '../lib/period.ts'
import { messageOf } from '../lib/thrown.ts'
import { accountName, userFolder } from './account.ts'
import { CommandError } from './command-errors.ts'
import { needSqlite } from './database/open-database.ts'

/** Credits for each hour, day or month, in UTC. */
export interface PeriodTerms {
  readonly limit: number
  readonly every: Period
}

/** Credits of a run, or of each period. */
export type BudgetTerms = PeriodTerms | { readonly limit: number; readonly every?: undefined }

export const periods = ['hour', 'day', 'month'] as const

export const periodForms = 'credits a period: 20/hour, 200/day or 6000/month'

/** The terms of a text such as `20` or `200/day`; undefined for any other text. {@link termsText} writes no exponent of so few digits. */
export function termsIn(text: string): BudgetTerms | undefined {
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

/** What limits a {@link PeriodBudget}. */
interface PeriodLimits {
  /** Credits of the command's own budget. */
  readonly own?: number | undefined
  /** Whether the budget that is set counts. */
  readonly followsSet?: boolean
}

/**
 * What all commands for an address on this machine may spend in each period of a length, in UTC: as much as `--budget` and
 * `social-search budget` allow. The latter may change while a command runs.
 */
export class PeriodBudget extends SharedBudget {
  /** As errors name it. */
  declare name: string
  /** Infinity while nothing limits its periods. */
  declare limit: number
  readonly every: Period
  /** Whether `social-search budget` limits it most. */
  isSet = false
  readonly #owner: string
  readonly #own: number
  readonly #followsSet: boolean
  readonly #store: SharedStore

  /** @param owner Whose credits it counts. */
  constructor(
    { store, setText }: SharedFile,
    owner: string,
    every: Period,
    { own = Infinity, followsSet = true }: PeriodLimits = {},
  ) {
    super({ store, name: `${owner} ${every}`, limit: 0, every, storeTimeout: patienceMs, logger: false })
    this.every = every
    this.#owner = owner
    this.#own = own
    this.#followsSet = followsSet
    this.#store = store
    this.#follow(followsSet ? setText : undefined)
  }

  /** What limits it; undefined while nothing does. */
  get terms(): PeriodTerms | undefined {
    const { limit, every } = this
    return limit === Infinity ? undefined : { limit, every }
  }

  override async reserve(credits: number, operation: string): Promise<Reservation> {
    await this.#followSet(operation)
    return this.terms === undefined ? { settle: () => {} } : super.reserve(credits, operation)
  }

  override async summary(): ReturnType<SharedBudget['summary']> {
    await this.#followSet()
    const { limit } = this
    if (this.terms !== undefined) return super.summary()
    return { limit, remaining: limit, endsAt: null, spent: 0, uncertain: 0, reserved: 0 }
  }

  async #followSet(operation?: string): Promise<void> {
    if (!this.#followsSet) return
    try {
      this.#follow(await setTextIn(this.#store, accountName()))
    } catch (error) {
      const temporary = !(error instanceof CommandError)
      // What was never limited waits only in the limiter, which has the same file.
      if (temporary && this.terms === undefined) return
      throw new BudgetUnavailableError(messageOf(error), { operation, temporary })
    }
  }

  /** @throws {CommandError} if it cannot read the budget that is set. */
  #follow(setText: string | undefined): void {
    const set = setTermsOf({ setText })
    const limit = set?.every === this.every ? set.limit : Infinity
    this.isSet = limit < this.#own
    this.limit = Math.min(limit, this.#own)
    this.name = this.isSet ? 'budget' : '--budget'
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
    return this.#store.update(await noteKey(kind, this.#owner, this.every), change)
  }

  /** Notes what a command has spent in the period of a time, to show it. */
  async noteSpending(command: string, credits: number, time: number): Promise<void> {
    const { limit, every } = this
    if (this.terms === undefined) return
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
  const folder = isNeeded ? userFolder('state') : userFolder('state', 'no home')
  if (folder === undefined) return undefined
  const path = join(folder, 'shared.sqlite')
  const isThere = existsSync(path)
  let store: SharedFile['store'] | undefined
  try {
    needSqlite('a budget of a period')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = (store = sqliteStore(path))
    return { store, setText: await setTextIn(opened, accountName()) }
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
  const late = (): never => {
    throw new Error('shared.sqlite is locked by another program')
  }
  return within(patienceMs, () => store.update(setKeyOf(account), (text) => ({ result: text })), late)
}

/** Sets the budget of the account; an empty text removes it. */
export function setBudget(store: SharedStore, value: string): Promise<void> {
  return store.update(setKeyOf(accountName()), () => ({ value, result: undefined }))
}

function setKeyOf(account: string | undefined): string {
  return account === undefined ? 'set-1' : `set-1:${account}`
}

/** The terms of the budget that is set. */
export function setTermsOf({ setText }: Pick<SharedFile, 'setText'>): PeriodTerms | undefined {
  if (!setText) return undefined
  const terms = termsIn(setText)
  if (terms?.every !== undefined) return terms
  throw new CommandError(
    'failed',
    'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off',
  )
}
