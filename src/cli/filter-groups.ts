/** The groups of search filters, by the first filter of each. */
export const filterGroups: Readonly<Record<string, string>> = {
  lang: 'Language and time',
  exactSentence: 'Words',
  fromTheseAccounts: 'Accounts',
  removePostsWithLinks: 'Links, replies and media',
  minimumRepliesCount: 'Engagement',
  geocode: 'Place',
}
