import type { ObservedBudget, Reservation } from '../index.ts'
import type { CreditBudgetError } from '../errors/index.ts'
import { addTo } from '../extend.ts'
import { type ChangeText, SharedBudget, type SharedStore } from '../extensions/shared/index.ts'
import { count } from '../lib/count.ts'
import { sha256 } from '../lib/hash.ts'
import { parsed } from '../lib/json.ts'
import { type Period, periodAt, periodEnd, utcText } from '../lib/period.ts'
import { accountFlag } from './account.ts'
import { UsageError } from './command-errors.ts'

/** Credits for each hour, day or month, in UTC. */
export interface PeriodTerms {
  readonly limit: number
  readonly every: Period
  /** Whether `social-search budget` has set it, for all commands. */
  readonly isSet: boolean
}

/** What the commands of one period have spent. */
export interface Spending {
  readonly period: string
  /** The latest limit. */
  readonly limit: number
  /** Credits by command, such as `search`. */
  readonly commands: Readonly<Record<string, number>>
}

/** How long a call waits while another program has the file, in milliseconds. */
const patienceMs = 10_000

/** The terms of a budget such as `200/day`; undefined for credits without a period, which cannot be set. */
export function periodTermsOf(name: string, text: string, isSet = false): PeriodTerms | undefined {
  if (!isSet && Number.isFinite(Number(text))) return undefined
  const [, credits, every] = /^(\d+(?:\.\d+)?)\/(hour|day|month)$/.exec(text) ?? []
  if (credits === undefined)
    throw new UsageError(
      `${name} must be ${isSet ? '' : 'credits such as 20, or '}credits a period: 20/hour, 200/day or 6000/month${isSet ? ', or off' : ''}; got ${text}`,
    )
  return { limit: Number(credits), every: every as Period, isSet }
}

/** `200/day`. */
export function termsText({ limit, every }: Pick<PeriodTerms, 'limit' | 'every'>): string {
  return `${limit}/${every}`
}

/** When the current period ends: `2026-11-25 00:00 UTC`. */
export function endText(every: Period): string {
  return utcText(periodEnd(Date.now(), (time) => periodAt(time, every)))
}

/** What is left of a budget that is low: `40 of 200 credits of --budget are left until 2026-11-25 00:00 UTC`. */
export function lowText({ name = '--budget', limit, remaining, endsAt }: ObservedBudget): string {
  const whose = name === '--budget' ? name : `the ${name}`
  const left = `${remaining} of ${count(limit, 'credit')} of ${whose} ${remaining === 1 ? 'is' : 'are'} left`
  return endsAt === null ? left : `${left} until ${utcText(endsAt)}`
}

/** What to do: a sentence, perhaps with a command that does it. */
export type Advice = string | { readonly do: string; readonly command: string }

/** What to do when a budget has too little left. */
export function adviceOn({ budget: { needed }, refusedBy }: CreditBudgetError): Advice {
  if (!(refusedBy instanceof PeriodBudget)) return 'Raise --budget'
  const { limit, every, isSet } = refusedBy.terms
  const terms = termsText({ limit, every })
  const what = needed > limit ? `${terms} is too low for this call. Raise` : 'Wait, or raise'
  if (!isSet) return `${what} --budget`
  const command = `social-search budget ${Math.max(needed, 2 * limit)}/${every}${accountFlag()}`
  return { do: `${what} the budget`, command }
}

/** A budget such as `200/day`, which all commands for an address on this machine share. It begins anew in UTC. */
export class PeriodBudget extends SharedBudget {
  /** As errors name it: `--budget`, or `budget` for one that is set. */
  override readonly name: string
  readonly terms: PeriodTerms
  readonly #owner: string
  readonly #command: string
  readonly #store: SharedStore
  #isNoted = false
  #noted = Promise.resolve()

  /** @param owner The address. */
  constructor(store: SharedStore, owner: string, terms: PeriodTerms, command: string) {
    const { limit, every } = terms
    super({ store, name: `${owner} ${every}`, limit, every, storeTimeout: patienceMs, logger: false })
    this.name = terms.isSet ? 'budget' : '--budget'
    this.terms = terms
    this.#owner = owner
    this.#command = command
    this.#store = store
  }

  override async reserve(credits: number, operation: string): Promise<Reservation> {
    const reservation = await super.reserve(credits, operation)
    // Before anything is sent: what a killed command may have spent is shown, too.
    if (!this.#isNoted) await this.#note(0).catch(() => {})
    this.#isNoted = true
    let sentAt = Date.now()
    return {
      low: reservation.low,
      renew: async () => {
        await reservation.renew?.()
        sentAt = Date.now()
      },
      settle: (cost, uncertain) => {
        reservation.settle(cost, uncertain)
        if (cost > 0) this.#noted = this.#noted.then(() => this.#note(cost, sentAt)).catch(() => {})
      },
    }
  }

  override async close(): Promise<void> {
    await this.#noted
    await super.close()
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

  /** Notes what the command has spent in the period of a time, to show it. */
  async #note(cost: number, time = Date.now()): Promise<void> {
    const { limit, every } = this.terms
    await this.changeNotes('spending', (text, clock) => {
      const period = periodAt(time, every)
      const before = parsed(text ?? 'null') as Spending | null
      // Nobody shows what an earlier period has spent.
      if (before?.period !== period && period !== periodAt(clock, every)) return { result: undefined }
      const commands = before?.period === period ? before.commands : {}
      const spent = { period, limit, commands: addTo(commands, this.#command, cost) }
      return { value: JSON.stringify(spent satisfies Spending), result: undefined }
    })
  }
}

type NoteKind = 'spending' | 'watches'

async function noteKey(kind: NoteKind, owner: string, every: Period): Promise<string> {
  return `${kind}-1:${(await sha256(`${owner} ${every}`)).slice(0, 32)}`
}
