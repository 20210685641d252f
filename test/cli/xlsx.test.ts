import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { crc32, inflateRawSync } from 'node:zlib'
import { change } from '../support/posts-database.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'

const body = '=HYPERLINK("https://evil.example") <b> & \ud83d \u0000 _x0041_'

const share_url = 'https://professionalnet.example/posts/tea'
const longPost = {
  ...{ share_url, commentary: 'tea in several lines: '.padEnd(200, 'long '), urn: 'urn:1' },
  social_details: { numLikes: 12_345, numComments: 2, reactionTypeCounts: [{ type: 'LIKE', count: 3 }] },
}

const headersIn = (sheet: string): (string | undefined)[] =>
  [...(/<row r="1">.*?<\/row>/.exec(sheet)?.[0] ?? '').matchAll(/<t [^>]*>([^<]*)</g)].map(([, text]) => text)

describe('export to .xlsx', () => {
  useCommand({
    content: {
      professionalnet: [longPost],
      microblog: [
        { id: '1795810936704112345', body: `coffee ${body}`, timestamp: '2026-11-20T18:00:00.000Z' },
        { id: '2', body: 'coffee', timestamp: '1850-01-01T00:00:00.000Z' },
      ],
    },
  })

  it('writes ids as texts, times as times, links as links, and no formula', async () => {
    await inTurn(['search coffee --out p.db', 0], ['export p.db p.xlsx', 0, /^p\.xlsx: 2 rows\n$/])
    const { parts, part } = unzipped('p.xlsx')
    const sheet = part('xl/worksheets/sheet1.xml')
    expect(sheet).toContain('<t xml:space="preserve">1795810936704112345</t>')
    // 2026-11-20 is day 46,346 of a spreadsheet.
    expect(sheet).toContain('<c r="C2" s="2"><v>46346.75</v></c>')
    expect(sheet).toMatch(/<c r="C3" t="inlineStr" s="4">[^/]*1850-01-01T/)
    const escaped =
      '=HYPERLINK(&quot;https://evil.example&quot;) &lt;b&gt; &amp; \ufffd \ufffd _x005F_x0041_<'
    expect(sheet).toContain(`coffee ${escaped}`)
    expect(sheet).not.toContain('<f>')
    // openpyxl, which pandas reads workbooks with, takes no other fill.
    expect(part('xl/styles.xml')).toContain('<fill><patternFill/></fill>')
    expect(sheet).toContain('<hyperlink ref="O2" r:id="rId1"/>')
    const targets = part('xl/worksheets/_rels/sheet1.xml.rels')
    expect(targets).toMatch(/Id="rId1"[^>]*Target="https:\/\/[^"]*1795810936704112345" TargetMode="External"/)
    expect(Object.keys(parts)).toHaveLength(7)
    await social('watch coffee --once --out p.db')
    await social('export p.db found.xlsx --table microblog_posts_found')
    const found = unzipped('found.xlsx').part('xl/worksheets/sheet1.xml')
    expect(headersIn(found)).toContain('First seen (UTC)')
    expect(found).toMatch(/<c r="I2" s="2"><v>\d/)
  })

  it('has a sheet for each table and view with rows, as people read them', async () => {
    const reactions = `reactions --params '{"postUrl":"${share_url}"}' --yes`
    for (const line of ['posts tea', 'search coffee', `comments ${share_url} --budget 100`, reactions])
      await social(`${line} --out p.db`)
    change(
      'p.db',
      `CREATE TABLE empty (a); CREATE VIEW "my [view]: of likes, which has a long name" AS
      SELECT commentary, "social_details.numLikes" FROM professionalnet_posts`,
    )
    const records =
      'professionalnet_posts 1 row, professionalnet_comments 2 rows, professionalnet_reactions 3 rows'
    const views = 'my [view]: of likes, which has a long name 1 row'
    await inTurn(['export p.db p.xlsx', 0, `p.xlsx: microblog_posts 2 rows, ${records}, ${views}\n`])
    const { part } = unzipped('p.xlsx')
    const names = part('xl/workbook.xml').matchAll(/<sheet name="([^"]+)"/g)
    expect([...names].map(([, name]) => name)).toEqual([
      ...['Microblog posts', 'Professionalnet posts', 'Professionalnet comments'],
      ...['Professionalnet reactions', 'My  view   of likes, which has'],
    ])
    const sheet = (number: number) => part(`xl/worksheets/sheet${number}.xml`)
    const [posts, comments] = [headersIn(sheet(2)), headersIn(sheet(3))]
    expect(posts.slice(0, 7).join()).toBe('Text,Author,Date (UTC),Likes,Replies,Reposts,Query')
    expect(posts.slice(-2)).toEqual(['Transcribed document URL', 'URL'])
    expect(new Set(posts).size).toBe(posts.length)
    expect(comments.join()).toBe('Text,Author,Date (UTC),Query,Author headline,Author URL,Permalink')
    // The text has lines of 80 letters.
    expect(sheet(2)).toContain('<col min="1" max="1" width="80"')
    expect(sheet(2)).toContain('<c r="D2"><v>12345</v></c>')
    expect(headersIn(sheet(5))).toEqual(['Text', 'Likes'])
    change(
      'p.db',
      `CREATE TABLE history (a); INSERT INTO history VALUES (1); CREATE TABLE " '" (a); INSERT INTO " '" VALUES (1);
      CREATE TABLE "a name that ends in the middle's" (a); INSERT INTO "a name that ends in the middle's" VALUES (1)`,
    )
    await social('export p.db names.xlsx')
    expect(unzipped('names.xlsx').part('xl/workbook.xml')).toMatch(
      /<sheet name="Table \d".*<sheet name="A name that ends in the middle".*<sheet name="Table \d"/,
    )
    await inTurn(
      ['export p.db none.xlsx --new', 0],
      ['export p.db none.xlsx --new --overwrite', 0, /^none\.xlsx: 0 rows\n$/],
    )
  })

  it('takes for times and links only what is one, on every machine', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const bodies = ['2026-11-20 10:00 (tea party)', 'https://[tea', 'https://tea.example/"_x0041_']
    const timestamp = '2026-11-20T18:00:00'
    sandbox.publish({
      microblog: bodies.map((body, id) => ({ id: String(id), name: '2026-11-20 10:00:00', body, timestamp })),
    })
    await inTurn(['search tea --out t.db', 0], ['export t.db t.xlsx', 0, 't.xlsx: 3 rows\n'])
    const { part } = unzipped('t.xlsx')
    const sheet = part('xl/worksheets/sheet1.xml')
    expect(sheet).toContain('>2026-11-20 10:00 (tea party)<')
    expect(sheet).toContain('>2026-11-20 10:00:00<')
    expect(sheet.match(/<v>46346\.75<\/v>/g)).toHaveLength(3)
    const targets = part('xl/worksheets/_rels/sheet1.xml.rels')
    expect(targets).toContain('Target="https://tea.example/%22_x0041_"')
    expect(targets).not.toContain('[tea')
  })
})

/** The texts in a ZIP file, by their names, as its directory has them. Fails for sizes or checksums that are wrong. */
function unzipped(path: string) {
  const file = readFileSync(path)
  const end = file.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  const texts: Record<string, string> = {}
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((offset) => file.readUInt32LE(at + offset))
    const length = file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, at + 46 + length)
    const start = file.readUInt32LE(at + 42) + 30 + length
    const bytes = inflateRawSync(file.subarray(start, start + (packed ?? 0)))
    if (bytes.length !== size || crc32(bytes) !== crc) throw new Error(`${name} is damaged`)
    texts[name] = bytes.toString()
    at += 46 + length
  }
  return { parts: texts, part: (name: string) => texts[name] ?? '' }
}
