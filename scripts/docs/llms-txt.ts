import { sentence } from './words.ts'

/**
 * The index of the documentation for language models.
 *
 * @param guides Pages by path, as Markdown.
 */
export function renderLlmsTxt(summary: string, guides: ReadonlyMap<string, string>): string {
  const lines = [...guides].map(
    ([path, text]) => `- [${titleOf(text)}](${path}): ${firstSentence(text)}${sectionsOf(text)}`,
  )
  return `# social-search-sdk

> ${sentence(summary)} Start with [AGENTS.md](AGENTS.md).

## Guides

${lines.join('\n')}
`
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}

/** The headings of a page, which say what is found there. */
function sectionsOf(text: string): string {
  const headings = Array.from(text.matchAll(/^## (.+)$/gm), ([, heading = '']) => withoutLinks(heading))
  return headings.length === 0 ? '' : ` Sections: ${headings.join('; ')}.`
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
}

/** The first sentence of the first paragraph of text, without comments, examples and pictures. */
function firstSentence(text: string): string {
  const prose = text.replaceAll(/<!--[^]*?-->|^```[^]*?^```$|!\[[^\]]*\]\([^)]*\)/gm, '')
  const paragraph = prose.split(/\n{2,}/).find((block) => /^\s*[\w[`]/.test(block)) ?? ''
  const plain = withoutLinks(paragraph.trim().replaceAll('\n', ' '))
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
