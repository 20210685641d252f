import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hashesOf, pictures, recordFile } from '../../scripts/pictures/sources.ts'

describe.each(pictures)('%s', (picture) => {
  it('was made by npm run pictures from what it shows now', () => {
    const record = JSON.parse(readFileSync(recordFile, 'utf8')) as Record<string, object>
    expect(hashesOf(picture), 'run npm run pictures, and look at the picture').toEqual(record[picture])
  })
})
