import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** What the sandbox can do to the next request; leave this out of your own dashboard. */
const faults = {
  'Rate limit, 15 s': { status: 429, retryAfter: 15 },
  'Service down': { status: 502, times: 3 },
  'Lost answer': { reset: 'after' },
}

export function Faults() {
  const [armed, setArmed] = useState('')
  const isFetching = useIsFetching({ queryKey: ['social-search'] }) > 0
  useEffect(() => {
    if (isFetching) setArmed('')
  }, [isFetching])

  async function inject(name: keyof typeof faults) {
    await fetch('/api/faults', { method: 'POST', body: JSON.stringify(faults[name]) })
    setArmed(name)
  }
  return (
    <footer className="faults quiet">
      <details>
        <summary>Sandbox</summary>
        <div className="row">
          Try a failure:
          {(Object.keys(faults) as (keyof typeof faults)[]).map((name) => (
            <button key={name} onClick={() => void inject(name)}>
              {name}
            </button>
          ))}
        </div>
      </details>
      <p role="status">{armed && `Next request: ${armed}.`}</p>
    </footer>
  )
}
