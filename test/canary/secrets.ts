/**
 * Secrets that are looked for. Each starts with a part that nothing else has, so that one that is cut short is found,
 * too; what follows is written differently in JSON and in URLs.
 */
export const secrets = {
  apiKey: 'c4naryKey7f3a"\\/+&= end'.replaceAll(' ', '_'),
  token: 'c4naryTok91be.aGVhZGVy.c2ln"\\/+',
  refreshToken: 'c4naryRef2e60.cmVm"\\/+',
  code: 'c4naryCod83ad"\\/+',
  clientSecret: 'c4naryCli5d08"\\/+',
  eventSecret: 'c4naryEvt26c9"\\/+',
} as const

/** How often a secret, or its beginning, stands in a text. */
export function occurrences(text: string): number {
  const forms = Object.values(secrets).flatMap((secret) => {
    const start = secret.slice(0, 13)
    return [start, btoa(secret).slice(0, 16), escaped(start), reversed(start)]
  })
  return forms.reduce((sum, form) => sum + text.split(form).length - 1, 0)
}

/** As it stands in JSON where every character is escaped. */
export function escaped(text: string): string {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('')
}
