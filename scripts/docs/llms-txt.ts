import { sentence } from './words.ts'

/**
 * The index of the documentation for language models.
 *
 * @param guides Pages by path, as Markdown.
 */
export function renderLlmsTxt(summary: string, guides: ReadonlyMap<string, string>): string {
  const lines = [...guides].map(([path, text]) => `- [${titleOf(text)}](${path}): ${firstSentence(text)}`)
  return `# social-search-sdk

> ${sentence(summary)} Start with AGENTS.md.

## Guides

${lines.join('\n')}
`
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}

/** The first sentence of the first paragraph of text. */
function firstSentence(text: string): string {
  const paragraph = /^(?:\w|\[|`(?!``))[^]*?(?=\n\n|(?![^]))/m.exec(
    text.replaceAll(/^#.*$|^```[^]*?^```$|^<!--.*$|!\[[^\]]*\]\([^)]*\)/gm, ''),
  )?.[0]
  const plain = (paragraph ?? '').replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
