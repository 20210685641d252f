import { guideGroups } from './guides.ts'
import { sentence } from './words.ts'

/**
 * The index of the documentation for language models.
 *
 * @param textOf Reads a page by its path, as Markdown.
 */
export function renderLlmsTxt(summary: string, textOf: (path: string) => string): string {
  const entry = (path: string, title: string) =>
    `- [${title}](${path}): ${firstSentence(textOf(path))}${sectionsOf(textOf(path))}`
  const groups = [...guideGroups].map(
    ([group, pages]) =>
      `## ${group}\n\n${[...pages].map(([path, title]) => entry(path, title)).join('\n')}\n`,
  )
  return `# social-search-sdk

> ${sentence(summary)} Start with [AGENTS.md](AGENTS.md).

${entry('README.md', 'README')}

${groups.join('\n')}`
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
