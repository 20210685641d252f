/** How many periods a budget remembers: with days, more than a month. */
const rememberedPeriods = 40

/** What a budget keeps for one of its periods. */
export interface PeriodAccount {
  /** What was spent is unknown, so nothing more may be. */
  isLost: boolean
}

/**
 * What a budget keeps for each period, by its name. No clock is trusted: each period has its own credits, whenever a clock shows it
 * again.
 */
export interface PeriodBook<Account extends PeriodAccount> {
  accounts: Record<string, Account>
  /** The latest period that it has forgotten; empty if it remembers all. */
  forgotten: string
}

/** The account of a period, which {@link keepAccount} keeps once something counts in it. */
export function accountOf<Account extends PeriodAccount>(
  { accounts, forgotten }: PeriodBook<Account>,
  period: string,
  empty: Account,
): Account {
  const known = accounts[period]
  if (known !== undefined) return known
  const names = Object.keys(accounts)
  const isForgotten = forgotten !== '' && period <= forgotten
  // One of two clocks was wrong: either credits of this period are in a later one, or it has passed long ago.
  const isEarlierThanAll =
    forgotten === '' && names.length > 0 && names.every((name) => isLater(name, period))
  return { ...empty, isLost: isForgotten || isEarlierThanAll }
}

export function keepAccount<Account extends PeriodAccount>(
  book: PeriodBook<Account>,
  period: string,
  account: Account,
): void {
  if (book.accounts[period] === account || (period !== '' && period <= book.forgotten)) return
  book.accounts[period] = account
  const names = Object.keys(book.accounts).sort()
  // Later ones stay: a clock that is ahead for a while must take neither this period nor those to come.
  const tooMany = names
    .slice(0, Math.max(0, names.length - rememberedPeriods))
    .filter((name) => name < period)
  const last = tooMany.at(-1)
  if (last === undefined) return
  book.forgotten = last
  book.accounts = Object.fromEntries(Object.entries(book.accounts).filter(([name]) => name > last))
}

/** Why a budget refuses the period that its clock shows; undefined if that does not come from the clock. */
export function clockReason<Account extends PeriodAccount>(
  { accounts, forgotten }: PeriodBook<Account>,
  period: string,
): string | undefined {
  const later = [forgotten, ...Object.keys(accounts).sort()].find((name) => isLater(name, period))
  if (later === undefined) return undefined
  return `the clock shows ${period}, but this budget was used in ${later} before; set the clock right, or wait for the next period`
}

/** Names of a month, a day and an hour differ in length: the budget may have had another `every` before. */
function isLater(name: string, period: string): boolean {
  return name.length === period.length && name > period
}
