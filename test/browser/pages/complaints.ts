/** What a developer would find in the console: errors, warnings, and violations of the page's policy. */
export const complaints: string[] = []
const complain = (...told: unknown[]): void => void complaints.push(told.map(String).join(' '))
console.error = complain
console.warn = complain
addEventListener('error', ({ message }) => complain(message))
addEventListener('unhandledrejection', ({ reason }) => complain(reason))
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  complain(violatedDirective, blockedURI),
)
