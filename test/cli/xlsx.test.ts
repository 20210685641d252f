import { strFromU8, unzipSync } from 'fflate'
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { sandbox, social, useCommand } from './command.ts'

const body = '=HYPERLINK("https://evil.example") <b> & \ud83d \u0000 _x0041_'

describe('export to .xlsx', () => {
  useCommand({
    content: {
      microblog: [
        { id: '1795810936704112345', body: `coffee ${body}`, timestamp: '2026-11-20T18:00:00.000Z' },
        { id: '2', body: 'coffee', timestamp: '1850-01-01T00:00:00.000Z' },
      ],
    },
  })

  it('writes ids as texts, times as times, links as links, and no formula', async () => {
    await social('search coffee --out p.db')
    expect((await social('export p.db p.xlsx')).err).toBe('p.xlsx: 2 rows\n')
    const parts = unzipSync(readFileSync('p.xlsx'))
    const part = (name: string) => strFromU8(parts[name] ?? new Uint8Array())
    const sheet = part('xl/worksheets/sheet1.xml')
    expect(sheet).toContain('<t xml:space="preserve">1795810936704112345</t>')
    // 2026-11-20 is day 46,346 of a spreadsheet.
    expect(sheet).toContain('<c r="F2" s="2"><v>46346.75</v></c>')
    expect(sheet).toMatch(/<c r="F3" t="inlineStr" s="0">[^/]*1850-01-01T/)
    expect(sheet).toContain(
      'coffee =HYPERLINK(&quot;https://evil.example&quot;) &lt;b&gt; &amp; \ufffd \ufffd _x005F_x0041_<',
    )
    expect(sheet).not.toContain('<f>')
    expect(sheet).toContain('<hyperlink ref="G2" r:id="rId1"/>')
    const targets = part('xl/worksheets/_rels/sheet1.xml.rels')
    expect(targets).toMatch(/Id="rId1"[^>]*Target="https:\/\/[^"]*1795810936704112345" TargetMode="External"/)
    expect(Object.keys(parts)).toHaveLength(7)
    expect(sheet).toContain('<col min="3" max="3" width="80"')
    await social('watch coffee --once --out p.db')
    await social('export p.db found.xlsx --table microblog_posts_found')
    const found = strFromU8(
      unzipSync(readFileSync('found.xlsx'))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
    )
    expect(found).toMatch(/<c r="B2" s="2"><v>\d/)
  })

  it('takes for times and links only what is one, on every machine', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const bodies = ['2026-11-20 10:00 (tea party)', 'https://[tea', 'https://tea.example/"_x0041_']
    const timestamp = '2026-11-20T18:00:00'
    sandbox.publish({
      microblog: bodies.map((body, id) => ({ id: String(id), name: '2026-11-20 10:00:00', body, timestamp })),
    })
    await social('search tea --out t.db')
    expect((await social('export t.db t.xlsx')).err).toBe('t.xlsx: 3 rows\n')
    const parts = unzipSync(readFileSync('t.xlsx'))
    const part = (name: string) => strFromU8(parts[name] ?? new Uint8Array())
    const sheet = part('xl/worksheets/sheet1.xml')
    expect(sheet).toContain('>2026-11-20 10:00 (tea party)<')
    expect(sheet).toContain('>2026-11-20 10:00:00<')
    expect(sheet.match(/<v>46346\.75<\/v>/g)).toHaveLength(3)
    const targets = part('xl/worksheets/_rels/sheet1.xml.rels')
    expect(targets).toContain('Target="https://tea.example/%22_x0041_"')
    expect(targets).not.toContain('[tea')
  })
})
