import { type Command, Help, type HelpConfiguration } from 'commander'
import { advanced, filterGroups } from './command-flags.ts'

const [, ...rareFilters] = Object.values(filterGroups).map((name) => `${name}:`)
const rare: readonly string[] = [...rareFilters, advanced]

/** Whether a command has so many filters that its help has to leave some out. */
const isLong = ({ options }: Command): boolean =>
  options.some(({ helpGroupHeading = '' }) => rareFilters.includes(helpGroupHeading))

/** Help of searches without the filters that few need, and how to see those. */
export const shortHelp: HelpConfiguration = {
  visibleOptions(command) {
    const options = Help.prototype.visibleOptions.call(this, command)
    if (!isLong(command)) return options
    return options.filter(({ helpGroupHeading = '' }) => !rare.includes(helpGroupHeading))
  },
  formatHelp(command, helper) {
    const text = Help.prototype.formatHelp.call(helper, command, helper)
    return isLong(command)
      ? `${text}\nFilters by words, accounts, links, media, engagement and place: --help --all\n`
      : text
  },
}
