/** The command line cannot work. Nothing was sent. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError'
  }
  readonly code = 'usage'
}

/** There is no key, or no address. */
export class CredentialsMissing extends Error {
  static {
    this.prototype.name = 'CredentialsMissing'
  }
  readonly code = 'credentials_missing'
}

/** The service does not describe itself as this package expects. */
export class ContractDrift extends Error {
  static {
    this.prototype.name = 'ContractDrift'
  }
  readonly code = 'contract_drift'
}

/** SIGINT was received, and the page under way is written. */
export class Interrupted extends Error {
  static {
    this.prototype.name = 'Interrupted'
  }
  readonly code = 'interrupted'
}
