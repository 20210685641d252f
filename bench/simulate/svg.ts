/** The source of an SVG element. */
export type Svg = string

type Attributes = Readonly<Record<string, string | number>>

export function element(name: string, attributes: Attributes, content: Svg = ''): Svg {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${shown(value)}"`)
  return `<${name}${written.join('')}>${content}</${name}>`
}

export function rect(x: number, y: number, width: number, height: number, attributes: Attributes): Svg {
  return element('rect', { x, y, width, height, ...attributes })
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string): Svg {
  return element('line', { x1, y1, x2, y2, stroke })
}

export function text(
  x: number,
  y: number,
  content: string,
  attributes: Attributes = {},
  more: Svg = '',
): Svg {
  return element('text', { x, y, ...attributes }, `${escaped(content)}${more}`)
}

export function drawing(width: number, height: number, parts: readonly Svg[]): Svg {
  const attributes = {
    ...{ xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${shown(height)}` },
    ...{ 'font-family': 'Helvetica, Arial, DejaVu Sans, sans-serif', 'font-size': 11, fill: ink },
  }
  const paper = rect(0, 0, width, height, { fill: 'white' })
  return `${element('svg', attributes, `\n${[paper, ...parts].join('\n')}\n`)}\n`
}

export const ink = '#222'
export const faint = '#ddd'
export const muted = '#666'
export const alarm = '#c1121f'

function shown(value: string | number): string {
  return typeof value === 'string' ? escaped(value) : String(Math.round(value * 100) / 100)
}

function escaped(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Breaks a text into lines of a maximum length, at spaces. */
export function wrapped(content: string, width: number): string[] {
  const lines: string[] = []
  for (const word of content.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
