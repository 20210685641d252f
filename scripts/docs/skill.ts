/** Where the package has its skill for coding agents, which read skills from folders of their own. */
export const skillFile = 'skills/social-search-sdk/SKILL.md'

/** AGENTS.md as a skill: with the head by which an agent knows when to read it, and links from its folder. */
export function skillOf(agents: string): string {
  const text = agents.replaceAll(/\]\((?!https?:|#)/g, '](../../')
  return `---
name: social-search-sdk
description: Writes code with social-search-sdk, the client of the Social Search and Organization Data API. Use it to search posts, read mentions, keep budgets of credits, resume jobs, handle errors or test offline.
---

<!-- Generated from AGENTS.md by \`npm run docs\`. -->

${text}`
}
